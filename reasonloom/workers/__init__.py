"""Workers: processes that take jobs from the queue, and what enqueues and follows them."""
