import type { Place } from "../../api/place.ts";
import { hrefOf, placeOfText } from "../place/place.ts";
import { Foreign } from "./foreign.tsx";

interface Props {
  readonly text: string;
  /** The place to go to; default: the place that the text names, `MachinePool default/p1`. */
  readonly place?: Place | undefined;
  readonly maxChars?: number;
}

/** A name that leads to its page, where it has one. */
export function PlaceLink({ text, place = placeOfText(text), maxChars = 120 }: Props) {
  const shown = <Foreign text={text} maxChars={maxChars} />;
  return place === undefined ? shown : <a href={hrefOf(place)}>{shown}</a>;
}
