import type { LetterGroups } from "../../api/letters.ts";
import { JobsPart } from "../actions/jobs-part.tsx";
import { useRoute, useTopic } from "../data/hooks.ts";
import { LetterList } from "../letters/letter-list.tsx";
import { NoLetter } from "../letters/letter-table.tsx";
import { type Column, PagedGrid } from "../list/grid.tsx";
import { Crumbs } from "../parts/links.tsx";
import { Part } from "../parts/part.tsx";
import { Age, Foreign, Mark } from "../parts/text.tsx";
import { useAddress } from "../place/location.ts";
import { counted, countText } from "../text/words.ts";

/** Shows dead letters: by function and error at first, then those of one error or one function. */
export function Letters() {
  const hasGroups = useRoute("GET /letter-groups");
  const { query } = useAddress();
  const group = query.get("group") ?? "";
  const name = query.get("function") ?? "";
  if (hasGroups === undefined) return null;
  if (hasGroups && group === "" && name === "") return <AllGroups />;
  return (
    <>
      {hasGroups && <Crumbs of={[{ title: "Dead letters", href: "/letters" }]} />}
      <LetterList group={group} name={name} verdict={query.get("verdict") ?? ""} />
    </>
  );
}

function AllGroups() {
  return (
    <>
      <div class="head">
        <h1>Dead letters</h1>
        <span class="muted">
          keys that failed for good; each is tried again every 10 to 15 minutes, after a change of what it
          reads, and by a requeue; letters stay for 14 days
        </span>
      </div>
      <LetterGroupsPart />
      <JobsPart />
    </>
  );
}

type Group = LetterGroups["items"][number];
const TOPIC = "letter-groups?limit=100";

/** Shows dead letters by function and error: 4,000 with one cause are one line. */
function LetterGroupsPart() {
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
