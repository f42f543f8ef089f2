import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { startChromium } from "./chromium.ts";
import { type SceneServer, type SceneServerOptions, startSceneServer } from "./scene-server.ts";

/** A browser, and the server that it visits. */
export interface Setting {
  readonly browser: Browser;
  readonly server: SceneServer;
}

/** Starts both before the first test of a group and closes them behind the last one. */
export function startSetting(options: SceneServerOptions = {}): Setting {
  const setting: { browser?: Browser; server?: SceneServer } = {};
  beforeAll(async () => {
    [setting.browser, setting.server] = await Promise.all([startChromium(), startSceneServer(options)]);
  });
  afterAll(async () => {
    await setting.browser?.close();
    await setting.server?.[Symbol.asyncDispose]();
  });
  // Tests run once both are there.
  return setting as Setting;
}
