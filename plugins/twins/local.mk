# SPDX-License-Identifier: MIT
plugin_LTLIBRARIES += plugins/shared-object.la
plugins_shared_object_la_SOURCES = plugins/twins/shared-object/plugin.c
plugins_shared_object_la_CPPFLAGS = $(plugin_cppflags)
plugins_shared_object_la_LDFLAGS = $(plugin_ldflags)

plugin_LTLIBRARIES += plugins/python.la
plugins_python_la_SOURCES = plugins/twins/python/plugin.c
plugins_python_la_CPPFLAGS = $(plugin_cppflags)
plugins_python_la_LDFLAGS = $(plugin_ldflags)

# What files of programs and of twins import, for the processes that run twins alone.
twinpythondir = $(pkgdatadir)/python/tilefoundry
dist_twinpython_DATA = \
	python/tilefoundry/__init__.py \
	python/tilefoundry/_inert.py \
	python/tilefoundry/_worker.py \
	python/tilefoundry/core.py \
	python/tilefoundry/dim.py \
	python/tilefoundry/ir.py \
	python/tilefoundry/runtime.py \
	python/tilefoundry/shard.py \
	python/tilefoundry/storage.py \
	python/tilefoundry/target.py \
	python/tilefoundry/types.py \
	$(NULL)
twinpythondsldir = $(pkgdatadir)/python/tilefoundry/dsl
dist_twinpythondsl_DATA = python/tilefoundry/dsl/__init__.py python/tilefoundry/dsl/tf.py
