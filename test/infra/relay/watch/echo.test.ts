import { describe, expect, it } from "vitest";
import { createEcho } from "../../../../infra/relay/watch/echo.ts";
import { virtualClock } from "../../../support/clock.ts";

function world() {
  const clock = virtualClock();
  let seen: string | undefined = "10";
  let missing = 0;
  const onMissing = () => {
    missing += 1;
  };
  const echo = createEcho({ clock, seen: () => seen, onMissing });
  return {
    clock,
    echo,
    missing: () => missing,
    sees(version: string | undefined) {
      seen = version;
    },
  };
}

describe("the echo of an own write (KR-07)", () => {
  it("is missing when the watch has not shown it after 30 s", async () => {
    const w = world();
    w.echo.wrote("11");
    await w.clock.advance(29_999);
    expect(w.missing()).toBe(0);
    await w.clock.advance(1);
    expect(w.missing()).toBe(1);
  });

  it("is there when the watch has shown it or a newer version", async () => {
    const w = world();
    w.echo.wrote("11");
    w.sees("12");
    await w.clock.advance(30_000);
    expect(w.missing()).toBe(0);
  });

  it("is not awaited while nothing is watched", async () => {
    const w = world();
    w.echo.wrote("11");
    w.sees(undefined);
    await w.clock.advance(30_000);
    expect(w.missing()).toBe(0);
  });

  it("is awaited by one timer, which ends with the watch", async () => {
    const w = world();
    for (let version = 11; version < 100; version += 1) w.echo.wrote(String(version));
    w.echo.stop();
    await w.clock.advance(60_000);
    expect(w.missing()).toBe(0);
    w.echo.wrote("100");
    w.echo.wrote("101");
    await w.clock.advance(60_000);
    expect(w.missing()).toBe(1);
  });
});
