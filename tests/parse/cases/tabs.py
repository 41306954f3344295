if a:
	b
	if c:
		d
	# a comment at another depth
        # and another
	e
