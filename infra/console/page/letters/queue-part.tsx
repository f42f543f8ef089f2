import type { QueueAnswer } from "../../api/queue.ts";
import { useTopic } from "../data/hooks.ts";
import { useRoute } from "../data/use-routes.ts";
import { Mark } from "../parts/mark.tsx";
import { Part } from "../parts/part.tsx";
import { pathOf } from "../place/place.ts";
import { queueCounts, queueHold, queueState } from "../queue/queue-words.ts";

/** Where the keys of a function are, and what holds them up: those that were requeued wait for their turn. */
export function QueuePart({ name }: { readonly name: string }) {
  const hasQueue = useRoute("GET /queue") === true && name !== "";
  const answer = useTopic<QueueAnswer>(hasQueue ? "queue" : undefined);
  const item = answer.body?.items.find((each) => each.function === name);
  if (!hasQueue || (answer.body !== undefined && item === undefined)) return null;
  return (
    <Part title="Keys in the queue" answer={answer}>
      {() =>
        item !== undefined && (
          <p class="sheet say">
            <Mark of={queueState(item).mark} bare /> <a href={pathOf("queue", name)}>{queueCounts(item)}</a>
            {queueHold(item) !== undefined && `. ${queueHold(item)}`}
          </p>
        )
      }
    </Part>
  );
}
