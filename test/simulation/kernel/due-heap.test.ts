import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Due, DueHeap } from "./due-heap.ts";

const sorted = (all: readonly Due[]) => all.toSorted((a, b) => a.at - b.at || a.order - b.order);

function drained(heap: DueHeap<Due>): readonly Due[] {
  const found: Due[] = [];
  for (let one = heap.pop(); one !== undefined; one = heap.pop()) found.push(one);
  return found;
}

function filled(instants: readonly number[]) {
  const heap = new DueHeap<Due>();
  const all = instants.map((at, order) => ({ at, order }));
  for (const one of all) heap.push(one);
  return { heap, all };
}

const instants = fc.array(fc.nat({ max: 20 }), { maxLength: 100 });

describe("a heap of what is due", () => {
  it("gives the earliest first, and of the same instant the first that came", () =>
    fc.assert(
      fc.property(instants, (given) => {
        const { heap, all } = filled(given);
        expect([heap.size, heap.peek()]).toEqual([all.length, sorted(all)[0]]);
        expect(drained(heap)).toEqual(sorted(all));
      }),
    ));

  it("keeps what still holds, and its order", () =>
    fc.assert(
      fc.property(instants, (given) => {
        const { heap, all } = filled(given);
        const holds = ({ at }: Due) => at % 2 === 0;
        heap.keep(holds);
        expect(heap.all).toHaveLength(all.filter(holds).length);
        expect(drained(heap)).toEqual(sorted(all.filter(holds)));
      }),
    ));
});
