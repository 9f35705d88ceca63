// The viewer works without a script. With it, the pages' text can be read aloud, searched and copied, and a long
// document uses little memory.
import { all } from "./shared/dom";
import { PagePictures } from "./shared/page-pictures";
import "./shared/page-text";

new PagePictures(all<HTMLImageElement>(".sheet-page > img"));
