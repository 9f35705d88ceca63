// The viewer works without script; with it, the pages' text can be read aloud, searched and copied.
import "./shared/page-text";
