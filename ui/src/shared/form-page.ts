// A page that answers a form is the page of its address again: somebody who goes back to it, or reloads it, is not asked
// whether the form should be sent once more, and does not find an error page.

history.replaceState(history.state, "");
