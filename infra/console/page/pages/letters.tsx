import type { LetterGroups, LetterItem, Letters as LettersAnswer } from "../../api/letters.ts";
import { useSteadyTopic, useTopic } from "../data/hooks.ts";
import { useRoute } from "../data/use-routes.ts";
import { type Column, Grid } from "../list/grid.tsx";
import { usePages } from "../list/use-pages.ts";
import { Age } from "../parts/age.tsx";
import { Foreign } from "../parts/foreign.tsx";
import { Mark } from "../parts/mark.tsx";
import { Part } from "../parts/part.tsx";
import { useAddress } from "../place/location.ts";
import { pathOf } from "../place/place.ts";
import { counted, countText } from "../text/amounts.ts";
import { objectOfKey } from "../text/keys.ts";

/** Dead letters: by function and error at first, so that 4,000 with one cause are one line, then one by one (W-106). */
export function Letters() {
  const hasGroups = useRoute("GET /letter-groups");
  const { query } = useAddress();
  const group = query.get("group") ?? "";
  const name = query.get("function") ?? "";
  const isList = hasGroups === false || group !== "" || name !== "";
  return (
    <>
      {group !== "" && (
        <nav class="crumbs" aria-label="Where this is">
          <a href="/letters">Dead letters</a>
        </nav>
      )}
      <div class="head">
        <h1>Dead letters</h1>
        <span class="muted">
          keys whose function gave up; a change of what they read, or a requeue, brings them back
        </span>
      </div>
      {hasGroups !== undefined && (isList ? <List group={group} name={name} /> : <Groups />)}
    </>
  );
}

function Groups() {
  const topic = "letter-groups?limit=100";
  const answer = useTopic<LetterGroups>(topic);
  return (
    <Part title="By function and error" answer={answer} aside="most keys first">
      {(groups) => <GroupTable topic={topic} groups={groups} />}
    </Part>
  );
}

type Group = LetterGroups["items"][number];

function GroupTable({ topic, groups }: { readonly topic: string; readonly groups: LetterGroups }) {
  const { rows, more } = usePages<Group>(topic, groups, ({ id }) => id);
  if (rows.length === 0) return <None />;
  return (
    <Grid
      label="Dead letters by function and error"
      one="group"
      of={topic}
      rows={rows}
      columns={GROUPS}
      idOf={({ id }) => id}
      more={more}
    />
  );
}

const GROUPS: readonly Column<Group>[] = [
  {
    title: "Function",
    width: "minmax(180px, 240px)",
    narrow: "first",
    cell: ({ id, function: name }) => (
      <span class="named">
        <Mark of="dead" />
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
    title: "Keys",
    width: "72px",
    isNumber: true,
    narrow: "end",
    cell: ({ count }) => <b>{countText(count)}</b>,
  },
  { title: "Newest", width: "64px", isNumber: true, cell: ({ newest }) => <Age since={newest} /> },
  { title: "Oldest", width: "64px", isNumber: true, cell: ({ oldest }) => <Age since={oldest} /> },
];

function List({ group, name }: { readonly group: string; readonly name: string }) {
  const topic = `letters?${new URLSearchParams({ ...(group && { group }), ...(name && { function: name }), limit: "100" })}`;
  const answer = useSteadyTopic<LettersAnswer>(topic);
  const [first] = answer.body?.items ?? [];
  return (
    <Part
      title={group === "" || first === undefined ? "Letters" : `Letters of ${first.function} with one error`}
      answer={answer}
      aside={
        answer.body !== undefined &&
        counted(answer.body.items.length, "letter") + (answer.body.next === undefined ? "" : " and more")
      }
    >
      {(letters) => (
        <>
          {group !== "" && first !== undefined && (
            <p class="sheet error-of">
              <Foreign text={first.error} maxChars={600} lines />
            </p>
          )}
          <Table topic={topic} letters={letters} />
        </>
      )}
    </Part>
  );
}

function Table({ topic, letters }: { readonly topic: string; readonly letters: LettersAnswer }) {
  const { rows, more } = usePages<LetterItem>(topic, letters, idOf);
  if (rows.length === 0) return <None />;
  return (
    <Grid
      label="Dead letters"
      one="letter"
      of={topic}
      rows={rows}
      columns={COLUMNS}
      idOf={idOf}
      more={more}
    />
  );
}

function None() {
  return (
    <p class="sheet say">
      <Mark of="healthy" bare /> <b>No dead letter.</b> No function has given up.
    </p>
  );
}

const COLUMNS: readonly Column<LetterItem>[] = [
  {
    title: "Object",
    width: "minmax(200px, 320px)",
    narrow: "first",
    cell: ({ function: name, key, state }) => (
      <span class="named">
        <Mark of={state === "dead" ? "dead" : state === "resolved" ? "healthy" : "unknown"} />
        <a href={pathOf("letters", name, key)}>
          <Foreign text={objectOfKey(key)} maxChars={120} />
        </a>
      </span>
    ),
  },
  { title: "Function", width: "minmax(120px, 180px)", cell: ({ function: name }) => <Foreign text={name} /> },
  {
    title: "Error",
    width: "minmax(160px, 1fr)",
    narrow: "second",
    cell: ({ error, recorded }) => (
      <>
        {!recorded && <span class="muted">(no letter) </span>}
        <Foreign text={error} />
      </>
    ),
  },
  { title: "Times", width: "56px", isNumber: true, cell: ({ times }) => countText(times) },
  {
    title: "Dead for",
    width: "64px",
    isNumber: true,
    narrow: "end",
    cell: ({ deadSince }) => <Age since={deadSince} />,
  },
];

function idOf({ function: name, key }: LetterItem): string {
  return `${name} ${key}`;
}
