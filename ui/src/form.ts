// The forms that have no other script: codes and sign-in.
import "./shared/form-page";
