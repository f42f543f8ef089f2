import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PRESSED } from "../support/console.ts";
import { GROW, keyOf, serveQueueConsole } from "../support/console-queue.ts";
import { HANG_MS } from "../support/eventually.ts";
import { describeWith } from "../support/requires.ts";
import { chromiumMissing, startChromium } from "./chromium.ts";

/** It leads to this machine, as a name does that was rebound. */
const REBOUND = "rebound.example";
const SHELL = { body: Buffer.from("<!doctype html><title>console</title>"), contentType: "text/html" };
const [KEY, PAUSE] = [keyOf("a", "w1"), `/api/v1/queue/${GROW}/pause`];

interface Target {
  readonly base: string;
  /** Of the person in front of the browser: a page that knows even this gets nothing. */
  readonly headers: { readonly [name: string]: string };
  readonly pause: string;
  readonly pressed: { readonly [name: string]: string };
}

/** Tries what a page can to read and to act; runs in the browser. Returns the texts that it has read. */
async function attack({ base, headers, pause, pressed }: Target): Promise<readonly string[]> {
  const body = JSON.stringify({ paused: false });
  const url = `${base}${pause}`;
  const read = async (path: string, init: RequestInit = {}): Promise<string> => {
    try {
      return await (await fetch(`${base}${path}`, init)).text();
    } catch {
      return "";
    }
  };
  const texts = [
    await read("/api/v1/letters", { headers }),
    await read("/api/v1/letters", { headers, mode: "cors", credentials: "include" }),
    await read("/api/v1/letters", { mode: "no-cors", credentials: "include" }),
    await read("/api/v1/stream?topic=letters"),
    await read(pause, { method: "POST", body, headers: { ...headers, ...pressed } }),
    await read(pause, { method: "POST", body, mode: "no-cors" }),
    await read(pause, { method: "POST", body: new URLSearchParams({ paused: "false" }), mode: "no-cors" }),
  ];
  navigator.sendBeacon(url, new Blob([body], { type: "text/plain" }));
  const loaded = (element: HTMLElement) =>
    new Promise<void>((resolve) => {
      for (const type of ["load", "error"]) element.addEventListener(type, () => resolve(), { once: true });
      document.body.append(element);
    });
  const frame = document.createElement("iframe");
  frame.name = "held";
  frame.src = `${base}/`;
  await loaded(frame);
  texts.push(frame.contentDocument?.documentElement.outerHTML ?? "");
  const script = document.createElement("script");
  script.src = `${base}/api/v1/letters`;
  await loaded(script);
  const form = document.createElement("form");
  Object.assign(form, { method: "POST", action: url, enctype: "text/plain", target: "held" });
  const input = document.createElement("input");
  Object.assign(input, { name: '{"paused":false,"x":"', value: '"}' });
  form.append(input);
  document.body.append(form);
  const answered = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
  form.submit();
  await answered;
  texts.push(frame.contentDocument?.documentElement.outerHTML ?? "");
  return texts;
}

describeWith(chromiumMissing)("pages that are not the console's own", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium([
      `--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`,
      // Some browsers let no page of the network ask this machine; the console does not rely on that.
      "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
    ]);
  });
  afterAll(() => browser.close());

  /** A console with a dead letter and actions, and a person who has a session. */
  const open = async () => {
    const world = await serveQueueConsole({ dead: [KEY], page: async () => SHELL });
    const headers = await world.logIn();
    const context = await browser.newContext();
    context.setDefaultTimeout(HANG_MS);
    return {
      ...world,
      page: await context.newPage(),
      headers,
      isPaused: async () => (await world.queue.peek(GROW)).paused === true,
      async [Symbol.asyncDispose]() {
        await context.close();
        await world[Symbol.asyncDispose]();
      },
    };
  };
  const attacked = (page: Page, base: string, headers: Target["headers"]) =>
    page.evaluate(attack, { base, headers, pause: PAUSE, pressed: PRESSED });

  it("of another origin read nothing and change nothing, even with the key of a session", async () => {
    await using world = await open();
    const evil = createServer((_, response) => {
      response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>evil</title>");
    }).listen(0, "127.0.0.1");
    await once(evil, "listening");
    await world.page.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`);
    const texts = await attacked(world.page, `http://127.0.0.1:${world.port}`, world.headers);
    expect(texts.join("")).toBe("");
    expect(await world.isPaused()).toBe(false);
    evil.closeAllConnections();
    evil.close();
  });

  it("under a name that was rebound to the console read refusals only, and change nothing", async () => {
    await using world = await open();
    const origin = `http://${REBOUND}:${world.port}`;
    // The page came from the first address of the name.
    await world.page.route(`${origin}/evil`, (route) =>
      route.fulfill({ body: "<!doctype html><title>evil</title>", contentType: "text/html" }),
    );
    await world.page.goto(`${origin}/evil`);
    const text = (await attacked(world.page, origin, world.headers)).join("");
    expect(text).toContain("ForeignHost");
    expect(text).not.toContain(KEY);
    expect(await world.isPaused()).toBe(false);
  });

  it("are refused what the own page is given", async () => {
    await using world = await open();
    const origin = `http://127.0.0.1:${world.port}`;
    await world.page.goto(`${origin}/`);
    const { letters, pause } = await world.page.evaluate(
      async ({ headers, path, pressed }) => {
        const init = { method: "POST", body: '{"paused":false}', headers: { ...headers, ...pressed } };
        return {
          letters: await (await fetch("/api/v1/letters", { headers })).text(),
          pause: (await fetch(path, init)).status,
        };
      },
      { headers: world.headers, path: PAUSE, pressed: PRESSED },
    );
    expect(letters).toContain(KEY);
    expect(pause).toBe(200);
    expect(await world.isPaused()).toBe(true);
  });
});
