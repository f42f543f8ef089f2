import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeWith } from "../support/requires.ts";
import { chromiumMissing } from "./chromium.ts";
import { NOW } from "./scene.ts";
import { signedOut } from "./scenes/fleet.ts";
import { ME } from "./scenes/me.ts";
import { startSetting } from "./setting.ts";
import { type Visit, visit } from "./visit.ts";

const relay = (version: string) => ({
  processes: [
    {
      id: "worker-1",
      role: "worker",
      version,
      ready: true,
      reasons: [],
      functions: [],
      seenAt: NOW,
    },
  ],
  connections: [],
});
const answers = (version: string) => ({ me: ME, relay: relay(version) });

const UNAVAILABLE = {
  error: { status: 503, reason: "Unavailable", message: "no answer of the API server", next: "try again" },
};

describeWith(chromiumMissing)("a page whose session ends", () => {
  const setting = startSetting();

  /** Opens a page and marks its document. */
  const open = async (): Promise<Visit> => {
    setting.server.play({ answers: answers("1.0.0") });
    const visited = await visit(setting, "/relay");
    const { page } = visited;
    await page.getByText("1.0.0").waitFor();
    await page.locator(".link-state", { hasText: /^Live$/ }).waitFor();
    await page.evaluate(() => Object.assign(window, { isFirst: true }));
    return visited;
  };
  /** Ends the session of a page; who signs in sees a newer answer. */
  const endAt = async (signIn: "link" | "token"): Promise<Visit> => {
    const visited = await open();
    const { page } = visited;
    setting.server.endSession({
      ...signedOut(signIn, "sign in again"),
      "POST session": { session: "new" },
    });
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await page.getByText("1.0.0").count()).toBe(0);
    setting.server.letIn(signIn === "token" ? "of-ann" : "new", answers("2.0.0"));
    return visited;
  };
  const continues = async (page: Page): Promise<void> => {
    await page.getByText("2.0.0").waitFor();
    await page.locator(".link-state", { hasText: /^Live$/ }).waitFor();
    expect(await page.evaluate(() => "isFirst" in window)).toBe(true);
    expect(page.url()).toBe(`${setting.server.origin}/relay`);
  };

  it("asks for a token by itself, and continues where it was", async () => {
    await using visited = await endAt("token");
    const { page } = visited;
    await page.getByLabel("Token of the API server").fill("of-ann");
    await page.keyboard.press("Enter");
    await continues(page);
  });

  it("names the link by itself, and continues where it was once another tab has opened the link", async () => {
    await using visited = await endAt("link");
    const { page } = visited;
    const other = await page.context().newPage();
    await other.goto(`${setting.server.origin}/#code=one`);
    await continues(page);
  });

  it("takes a new link in its own address", async () => {
    await using visited = await endAt("link");
    const { page } = visited;
    await page.evaluate(() => location.assign("#code=one"));
    await continues(page);
  });

  it("asks again while the API server cannot confirm rights, and keeps what it shows", async () => {
    await using visited = await open();
    const { page } = visited;
    setting.server.endSession({ me: UNAVAILABLE, relay: UNAVAILABLE });
    await page.getByText("no answer of the API server").first().waitFor();
    await page.getByText("1.0.0").waitFor();
    setting.server.play({ answers: answers("2.0.0") });
    await continues(page);
  });
});
