import type { Live } from "../../api/object.ts";
import { useOnce } from "../data/hooks.ts";
import { Table, type TableColumn } from "../parts/facts.tsx";
import { Part } from "../parts/part.tsx";
import { Age, Foreign, Json, Mark } from "../parts/text.tsx";
import { countText } from "../text/words.ts";

/**
 * The last Events of an object; its manifest and its field managers on a click. Read from the API server when the page
 * opens, once, with the rights of the viewer.
 */
export function LiveObject({ of }: { readonly of: string }) {
  const answer = useOnce<Live>(`${of}/live`);
  const { body } = answer;
  return (
    <Part
      title="Events"
      answer={answer}
      aside={
        body !== undefined && (
          <>
            read from the API server <Age since={body.asOf} /> ago
          </>
        )
      }
    >
      {(live) => (
        <>
          <Events {...live} />
          <details class="sheet unfold">
            <summary>Manifest</summary>
            <Json text={live.manifest} />
          </details>
          <details class="sheet unfold">
            <summary>Field managers</summary>
            <Managers {...live} />
          </details>
        </>
      )}
    </Part>
  );
}

function Events({ events, eventsMissing }: Live) {
  if (events.length === 0)
    return (
      <p class="sheet say">
        {eventsMissing === undefined ? (
          "There is none; an API server forgets them after an hour."
        ) : (
          <>
            <Mark of="unknown" bare /> Not read: <Foreign text={eventsMissing} />
          </>
        )}
      </p>
    );
  return (
    <ul class="sheet events">
      {events.map(({ type, reason, message, times, from, at }) => (
        <li key={`${at} ${reason} ${message}`}>
          <span class="muted">
            <Age since={at} />
          </span>
          <span class={type === "Warning" ? "warn" : ""}>
            <Foreign text={reason} maxChars={80} />
            {times > 1 && ` × ${countText(times)}`}
          </span>
          <span>
            <Foreign text={message} lines />{" "}
            <small class="muted">
              <Foreign text={from} maxChars={80} />
            </small>
          </span>
        </li>
      ))}
    </ul>
  );
}

function Managers({ managers, more }: Live) {
  return (
    <>
      <Table
        class="plain-table"
        columns={MANAGER_COLUMNS}
        rows={managers}
        idOf={({ manager, field }) => `${manager} ${field}`}
      />
      {more > 0 && <p class="say">and {countText(more)} more</p>}
    </>
  );
}

const MANAGER_COLUMNS: readonly TableColumn<Live["managers"][number]>[] = [
  { title: "Manager", cell: ({ manager }) => <Foreign text={manager} /> },
  { title: "Field", class: "mono", cell: ({ field }) => <Foreign text={field} /> },
  { title: "Written", cell: ({ time }) => time !== "" && <Age since={time} /> },
];
