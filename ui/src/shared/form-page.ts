// Replaces the history entry of a page that answers a form. Going back or reloading then opens the page itself, without
// the question whether to send the form again and without an error page.

history.replaceState(history.state, "");
