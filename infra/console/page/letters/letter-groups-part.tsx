import type { LetterGroups } from "../../api/letters.ts";
import { useTopic } from "../data/hooks.ts";
import type { Column } from "../list/grid.tsx";
import { PagedGrid } from "../list/paged-grid.tsx";
import { Age } from "../parts/age.tsx";
import { Foreign } from "../parts/foreign.tsx";
import { Mark } from "../parts/mark.tsx";
import { Part } from "../parts/part.tsx";
import { counted, countText } from "../text/amounts.ts";
import { NoLetter } from "./no-letter.tsx";

type Group = LetterGroups["items"][number];
const TOPIC = "letter-groups?limit=100";

/** Shows dead letters by function and error: 4,000 with one cause are one line. */
export function LetterGroupsPart() {
  const answer = useTopic<LetterGroups>(TOPIC);
  return (
    <Part title="By function and error" answer={answer} aside="most dead keys first">
      {(groups) => <GroupTable groups={groups} />}
    </Part>
  );
}

function GroupTable({ groups }: { readonly groups: LetterGroups }) {
  return (
    <>
      <PagedGrid
        topic={TOPIC}
        first={groups}
        label="Dead letters by function and error"
        one="group"
        columns={COLUMNS}
        idOf={idOf}
        empty={<NoLetter />}
      />
      {groups.items.length > 0 && groups.ungrouped > 0 && (
        <p class="muted">
          {counted(groups.ungrouped, "letter")} more in no group: there are too many different errors.
        </p>
      )}
    </>
  );
}

const COLUMNS: readonly Column<Group>[] = [
  {
    title: "Function",
    width: "minmax(180px, 240px)",
    narrow: "first",
    cell: ({ id, function: name, dead }) => (
      <span class="named">
        <Mark of={dead === 0 ? "healthy" : "dead"} />
        <a href={`/letters?${new URLSearchParams({ group: id })}`}>
          <Foreign text={name} />
        </a>
      </span>
    ),
  },
  {
    title: "Error",
    width: "minmax(200px, 1fr)",
    narrow: "second",
    cell: ({ error, reason }) => (
      <>
        <Foreign text={error} />{" "}
        <span class="muted">
          <Foreign text={reason} />
        </span>
      </>
    ),
  },
  {
    title: "Still dead",
    width: "120px",
    isNumber: true,
    narrow: "end",
    cell: ({ count, dead = count }) => (
      <>
        <b>{countText(dead)}</b>
        {dead < count && ` of ${countText(count)}`}
      </>
    ),
  },
  { title: "Newest", width: "64px", isNumber: true, cell: ({ newest }) => <Age since={newest} /> },
  { title: "Oldest", width: "64px", isNumber: true, cell: ({ oldest }) => <Age since={oldest} /> },
];

function idOf({ id }: Group): string {
  return id;
}
