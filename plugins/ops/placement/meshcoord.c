/* SPDX-License-Identifier: MIT
 * meshcoord: this unit's coordinate along one axis of a mesh.
 */
#include "placement.h"

#define ATTR_MESH 0u

static int infer_meshcoord(tf_ctx *ctx, const struct tf_call *call, const struct tf_type **result)
{
    int rc = ok_tensors(ctx, call);
    if (rc)
        return rc;
    const struct tf_type *axis = ok_arg(call, 0);
    const struct tf_mesh *mesh = call->attrs[ATTR_MESH].u.mesh;
    int64_t number;
    if (axis->rank != 0)
        return OK_REFUSE(ctx, call, OK_CODE_RANK, "meshcoord: axis has rank %u; one number is expected", axis->rank);
    if (!ok_is_integer(axis->dtype))
        return OK_REFUSE(ctx, call, OK_CODE_OPERAND, "meshcoord: axis is %s; an integer is expected",
            tf_host->dtype(axis->dtype)->name);
    if (!tf_host->mesh_in_force(ctx, mesh, call->scope))
        return OK_REFUSE(ctx, call, "mesh-not-in-force",
            "meshcoord: the mesh is not the one in force here; ask for a coordinate within `with` that mesh");
    if (call->args && tf_host->value_int(call->args[0], &number) == TF_OK && (number < 0 || number >= mesh->rank))
        return OK_REFUSE(ctx, call, OK_CODE_AXIS, "meshcoord: axis %lld is out of range for a mesh of rank %u",
            (long long)number, mesh->rank);
    *result = tf_host->type_tensor(ctx, TF_DTYPE_I64, 0, NULL, NULL, TF_STORAGE_RMEM);
    return TF_OK;
}

/* A unit knows its own number: nothing is read. */
static int relate_meshcoord(tf_ctx *ctx, const struct tf_call *call, struct tf_relation *relation)
{
    int rc = tf_host->relation_box(ctx, call, relation, 0, NULL, 1);
    if (rc)
        return rc;
    relation->in[0].flow = TF_FLOW_NONE;
    relation->out[0].flow = TF_FLOW_NONE;
    return TF_OK;
}

static const struct tf_input inputs[] = {{.name = "axis"}};
static const struct tf_attr_decl attrs[] = {{.name = "mesh", .kind = TF_ATTR_MESH, .flags = TF_ATTR_REQUIRED}};

const struct tf_op op_meshcoord = {
    .struct_size = sizeof(op_meshcoord),
    .name = "meshcoord",
    .summary = "this unit's coordinate along one mesh axis",
    .n_inputs = OK_COUNT(inputs),
    .inputs = inputs,
    .n_attrs = OK_COUNT(attrs),
    .attrs = attrs,
    .infer = infer_meshcoord,
    .relate = relate_meshcoord,
    .eval = eval_meshcoord,
};
