// Pages without behaviour of their own: only their dialogs, if they have any.
import { wireCloseButtons } from "./shared/dom";

wireCloseButtons();
