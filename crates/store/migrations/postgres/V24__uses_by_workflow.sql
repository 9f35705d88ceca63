-- Whether a document was started by a visitor of a public link.
CREATE INDEX public_link_use_workflow ON public_link_use (workflow_id);
