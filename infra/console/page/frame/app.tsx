import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { escaped } from "../../../platform/terminal/escape.ts";
import type { Me } from "../../api/me.ts";
import { useTopic } from "../data/hooks.ts";
import { Children } from "../pages/children.tsx";
import { Cluster } from "../pages/cluster.tsx";
import { Fleet } from "../pages/fleet.tsx";
import { FunctionKeys } from "../pages/function-keys.tsx";
import { Letter } from "../pages/letter.tsx";
import { Letters } from "../pages/letters.tsx";
import { Missing } from "../pages/missing.tsx";
import { ObjectPage } from "../pages/object.tsx";
import { QueuePage } from "../pages/queue.tsx";
import { Relay } from "../pages/relay.tsx";
import { goTo, useAddress } from "../place/location.ts";
import { type View, viewOf } from "../place/place.ts";
import { Dialog } from "./dialog.tsx";
import { followKeys, KEYS } from "./keys.ts";
import { Search } from "./search.tsx";
import { SignIn } from "./sign-in.tsx";
import { Staleness, TopBar } from "./top-bar.tsx";

type Shown = "search" | "help" | undefined;

/** The whole page: bar, the page of the address, dialogs. */
export function App() {
  const { path } = useAddress();
  const view = viewOf(path);
  const { body: me, error } = useTopic<Me>("me");
  const [dialog, show] = useState<Shown>();
  const main = useRef<HTMLElement>(null);
  const close = () => show(undefined);
  const search = () => show("search");
  const help = () => show("help");
  useEffect(() => followKeys({ search, help, goTo }), []);
  useLayoutEffect(() => {
    document.title = `${escaped(titleOf(view))} · Capstan`;
    main.current?.focus({ preventScroll: true });
  }, [path]);
  const isSignedOut = me === undefined && error?.status === 401;
  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <TopBar page={view.page} me={me} isSignedOut={isSignedOut} search={search} help={help} />
      {!isSignedOut && <Staleness />}
      <main id="main" ref={main} tabIndex={-1}>
        {isSignedOut ? <SignIn error={error} /> : <div key={path}>{pageOf(view, me)}</div>}
      </main>
      {dialog === "search" && isOffered("GET /search", me) && <Search close={close} />}
      {dialog === "help" && <Help close={close} />}
    </>
  );
}

/** Lists the keys of the page. */
function Help({ close }: { readonly close: () => void }) {
  return (
    <Dialog title="Keys" close={close}>
      <h2>Keys</h2>
      <dl class="keys">
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>{keys.split(" ").map((key) => (key === "" ? null : <kbd key={key}>{key}</kbd>))}</dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

function pageOf(view: View, me: Me | undefined): JSX.Element {
  switch (view.page) {
    case "fleet":
      return isOffered("GET /fleet", me) ? <Fleet /> : <Relay />;
    case "cluster":
      return <Cluster {...view} />;
    case "object":
      return <ObjectPage {...view} />;
    case "children":
      return <Children {...view} />;
    case "queue":
      return <QueuePage />;
    case "function":
      return <FunctionKeys name={view.function} />;
    case "letters":
      return <Letters />;
    case "letter":
      return <Letter name={view.function} of={view.key} />;
    case "relay":
      return <Relay />;
    case "missing":
      return <Missing />;
    default:
      return view satisfies never;
  }
}

/** Each server has the routes whose data it has. */
function isOffered(route: string, me: Me | undefined): boolean {
  return me?.routes.includes(route) !== false;
}

function titleOf(view: View): string {
  switch (view.page) {
    case "cluster":
      return `${view.name} in ${view.namespace}`;
    case "object":
      return `${view.kind} ${view.namespace}/${view.name}`;
    case "children":
      return `${view.of}s of ${view.kind} ${view.namespace}/${view.name}`;
    case "function":
      return view.function;
    case "letter":
      return `Letter of ${view.function}`;
    default:
      return TITLES[view.page];
  }
}

const TITLES = {
  fleet: "Fleet",
  queue: "Queue",
  letters: "Dead letters",
  relay: "Relay and workers",
  missing: "Not there",
} as const;
