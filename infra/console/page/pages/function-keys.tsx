import type { Me } from "../../api/me.ts";
import type { Keys, QueueAnswer, Tenants as TenantsAnswer } from "../../api/queue.ts";
import { PauseAction } from "../actions/action-buttons.tsx";
import { useRoute, useSteadyTopic, useTopic } from "../data/hooks.ts";
import { type Column, PagedGrid, SINCE } from "../list/grid.tsx";
import { Table, type TableColumn, Wide } from "../parts/facts.tsx";
import { Chips } from "../parts/filters.tsx";
import { Crumbs, PlaceLink } from "../parts/links.tsx";
import type { MarkName } from "../parts/mark-names.ts";
import { Part } from "../parts/part.tsx";
import { Age, Foreign, Mark } from "../parts/text.tsx";
import { useAddress } from "../place/location.ts";
import { pathOf } from "../place/place.ts";
import { LastHour } from "../plots/last-hour.tsx";
import { countText, objectOfKey, queueState } from "../text/words.ts";
import { QueueWord } from "./queue.tsx";

type KeyItem = Keys["items"][number];

const STATES = ["ready", "running", "waiting", "dead"] as const;
type KeyStateName = (typeof STATES)[number];
const MARK_OF: { readonly [state in KeyStateName]: MarkName } = {
  ready: "progressing",
  running: "progressing",
  waiting: "waiting",
  dead: "dead",
};

/** The queue of one function: how it stands, its tenants, and its keys by state. */
export function FunctionKeys({ name }: { readonly name: string }) {
  const { query } = useAddress();
  const wanted = query.get("state");
  const state = STATES.find((each) => each === wanted) ?? "ready";
  const tenant = query.get("tenant") ?? "";
  const queue = useTopic<QueueAnswer>("queue");
  const { body: me } = useTopic<Me>("me");
  const topic = `${pathOf("queue", name, "keys").slice(1)}?${new URLSearchParams({ state, ...(tenant && { tenant }), limit: "100" })}`;
  const keys = useSteadyTopic<Keys>(topic);
  const tenants = useTopic<TenantsAnswer>(pathOf("queue", name, "tenants").slice(1));
  const isSampled = useRoute("GET /queue/{function}/samples");
  const item = queue.body?.items.find((each) => each.function === name);
  const summary = me?.functions.find((each) => each.name === name)?.summary;
  const hrefWith = (next: Record<string, string>) => `${pathOf("queue", name)}?${new URLSearchParams(next)}`;
  return (
    <>
      <Crumbs of={[{ title: "Queue", href: "/queue" }]} />
      <div class="head">
        <h1>
          {item !== undefined && <Mark of={queueState(item).mark} bare />}
          <Foreign text={name} />
          {item !== undefined && (
            <small>
              <QueueWord item={item} />
            </small>
          )}
        </h1>
        {summary !== undefined && <p class="muted">{summary}</p>}
        <PauseAction item={item} />
      </div>
      {isSampled === true && <LastHour of={name} />}
      <Chips
        label="Keys by state"
        chips={STATES.map((each) => ({
          title: TITLES[each],
          count: item?.[each],
          href: hrefWith({ state: each, ...(tenant && { tenant }) }),
          isOn: each === state,
          mark: MARK_OF[each],
        }))}
      />
      <Part
        title={`${TITLES[state]} keys`}
        answer={keys}
        aside={
          tenant !== "" && (
            <>
              of tenant <Foreign text={tenant} /> (<a href={hrefWith({ state })}>all tenants</a>)
            </>
          )
        }
      >
        {(body) => <KeyTable topic={topic} keys={body} state={state} name={name} />}
      </Part>
      <Part title="Tenants" answer={tenants} aside="those with the most keys">
        {({ items }) => <TenantTable items={items} hrefOf={(each) => hrefWith({ state, tenant: each })} />}
      </Part>
    </>
  );
}
const TITLES = { ready: "Ready", running: "Running", waiting: "Waiting", dead: "Dead" } as const;

interface KeyTableProps {
  readonly topic: string;
  readonly keys: Keys;
  readonly state: KeyStateName;
  readonly name: string;
}

function KeyTable({ topic, keys, state, name }: KeyTableProps) {
  return (
    <PagedGrid
      topic={topic}
      first={keys}
      label="Keys"
      one="key"
      columns={columnsOf(name)}
      idOf={({ key }) => key}
      empty={<p class="sheet say">{`No key is ${state}.`}</p>}
    />
  );
}

function columnsOf(name: string): readonly Column<KeyItem>[] {
  return [
    {
      title: "Object",
      width: "minmax(220px, 2fr)",
      narrow: "first",
      cell: ({ key, object, state }) => (
        <span class="named">
          <Mark of={MARK_OF[state]} bare />
          <PlaceLink text={objectOfKey(key)} place={object} />
        </span>
      ),
    },
    {
      title: "Because of, or failure",
      width: "minmax(160px, 3fr)",
      narrow: "second",
      cell: ({ failure, failures, causes: [cause] }) =>
        failure === undefined ? (
          cause !== undefined && <Foreign text={cause.what} />
        ) : (
          <span class="bad">
            <Foreign text={`${countText(failures)} × ${failure.reason}: ${failure.message}`} />
          </span>
        ),
    },
    {
      title: "Letter",
      width: "64px",
      cell: ({ key, state }) => state === "dead" && <a href={pathOf("letters", name, key)}>Letter</a>,
    },
    SINCE,
    {
      title: "Until",
      width: "72px",
      isNumber: true,
      cell: ({ until }) => until !== undefined && <Age since={until} />,
    },
  ];
}

interface TenantTableProps {
  readonly items: TenantsAnswer["items"];
  readonly hrefOf: (tenant: string) => string;
}

function TenantTable({ items, hrefOf }: TenantTableProps) {
  if (items.length === 0) return <p class="sheet say">All keys are idle.</p>;
  const columns: readonly TableColumn<TenantsAnswer["items"][number]>[] = [
    {
      title: "Tenant",
      cell: ({ tenant }) => (
        <a href={hrefOf(tenant)}>
          <Foreign text={tenant} />
        </a>
      ),
    },
    ...STATES.map((state) => ({
      title: TITLES[state],
      class: "number",
      cell: (row: TenantsAnswer["items"][number]) => countText(row[state]),
    })),
  ];
  return (
    <Wide label="Table of tenants">
      <Table class="sheet plain-table" columns={columns} rows={items} idOf={({ tenant }) => tenant} />
    </Wide>
  );
}
