import { countText } from "../text/amounts.ts";

interface Props {
  readonly label: string;
  readonly value: number;
  readonly total: number;
}

/** Shows how far something is: a bar, and the numbers beside it. */
export function Progress({ label, value, total }: Props) {
  return (
    <span class="progress">
      <progress aria-label={label} value={value} max={total} />
      {countText(value)} of {countText(total)}
    </span>
  );
}
