import { Mark } from "../parts/mark.tsx";

/** Shows a text where no letter is: at all, or of one error or function. */
export function NoLetter({ isFiltered = false }: { readonly isFiltered?: boolean }) {
  if (isFiltered)
    return (
      <p class="sheet say">
        <Mark of="healthy" bare /> <b>No letter is left here.</b> <a href="/letters">All dead letters</a>
      </p>
    );
  return (
    <p class="sheet say">
      <Mark of="healthy" bare /> <b>No dead letter.</b> No function has given up.
    </p>
  );
}
