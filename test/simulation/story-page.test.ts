import { describe, expect, it } from "vitest";
import { storyPage } from "./story-page.ts";

const TRACE = [
  "relay starts",
  "0 relay request 127.0.0.1:6443 GET /api",
  "1500 worker-1 ledger claim <x>",
  "X-22 strikes at somewhere",
  "violated: F-07: in vain",
];

describe("the page of a seed", () => {
  it("has a lane per process, in the order of their first step, on one time line", () => {
    const page = storyPage("seed 7", TRACE);
    expect(page).toContain("<span>relay</span><span>worker-1</span>");
    expect(page).toContain(`<time>1.500</time><b style="grid-column:3">claim &lt;x&gt;</b>`);
  });

  it("shows faults and violations across all lanes", () => {
    const page = storyPage("seed 7", TRACE);
    expect(page).toContain(
      `<div class="row fault"><time>1.500</time><b class="all">X-22 strikes at somewhere</b>`,
    );
    expect(page).toContain(
      `<div class="row violation"><time>1.500</time><b class="all">violated: F-07: in vain</b>`,
    );
  });
});
