import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  FUNCTION,
  keyIn,
  NAME,
  OTHER,
  OWN,
  type Person,
  type PersonsWorld,
  startPersonsWorld,
} from "../support/console-persons.ts";
import { HANG_MS } from "../support/eventually.ts";
import { REAL } from "../support/processes/api-servers.ts";
import { kubectlMissing } from "../support/processes/kubectl.ts";
import { redisMissing } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";
import { chromiumMissing, startChromium } from "./chromium.ts";

/** Buttons of those who may requeue, drop or try. */
const ACTIONS = /requeue|drop|try/i;

describeWith(REAL.missing ?? redisMissing() ?? kubectlMissing() ?? chromiumMissing, REAL)(
  "two persons in a browser, at one console",
  () => {
    const stack = new AsyncDisposableStack();
    let world: PersonsWorld;
    let browser: Browser;
    beforeAll(async () => {
      world = stack.use(await startPersonsWorld());
      browser = await startChromium(["--host-resolver-rules=MAP console.example.com 127.0.0.1"]);
      stack.defer(() => browser.close());
    });
    afterAll(() => stack.disposeAsync());

    /** Opens a page of the console for a person, in a browser profile of that person. */
    const openFor = async (person: Person): Promise<{ readonly go: (path: string) => Promise<Page> }> => {
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      context.setDefaultTimeout(HANG_MS);
      const page = await context.newPage();
      const { directLink = "" } = world.console;
      await page.goto(directLink);
      await page.getByLabel("Token of the API server").fill(world.tokenOf(person));
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.locator(".link-state", { hasText: /^Live$/ }).waitFor();
      return {
        go: async (path) => {
          await page.goto(new URL(path, directLink).href);
          await page.locator(".link-state", { hasText: /^Live$/ }).waitFor();
          return page;
        },
      };
    };
    const letterOf = (namespace: string) => `/letters/${FUNCTION}/${encodeURIComponent(keyIn(namespace))}`;

    it("each sees the Clusters and letters of their namespaces, and the buttons of their rights", async () => {
      const ann = await openFor("ann");
      for (const [path, text] of [
        ["/", `${OWN}/${NAME}`],
        ["/", "1 Cluster"],
        ["/letters", FUNCTION],
        [letterOf(OWN), `${OWN}/${NAME}`],
      ] as const) {
        const page = await ann.go(path);
        await page.getByText(text).first().waitFor();
        expect(await page.locator("body").textContent(), path).not.toContain(OTHER);
        expect(await page.getByRole("button", { name: ACTIONS }).count(), path).toBe(0);
      }
      const refused = await ann.go(letterOf(OTHER));
      await refused.getByText("may not").first().waitFor();

      const olga = await openFor("olga");
      for (const namespace of [OWN, OTHER]) {
        const page = await olga.go("/");
        await page.getByText(`${namespace}/${NAME}`).first().waitFor();
        const letter = await olga.go(letterOf(namespace));
        await letter
          .getByRole("button", { name: /requeue/i })
          .first()
          .waitFor();
      }
    });
  },
);
