import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { escaped } from "../../../platform/terminal/escape.ts";
import type { Me } from "../../api/me.ts";
import type { ErrorBody } from "../../api/page.ts";
import { useTopic } from "../data/hooks.ts";
import { keepToken } from "../data/session.ts";
import { readTopics } from "../data/topics.ts";
import { Children } from "../pages/children.tsx";
import { Cluster } from "../pages/cluster.tsx";
import { Fleet } from "../pages/fleet.tsx";
import { FunctionKeys } from "../pages/function-keys.tsx";
import { Letter } from "../pages/letter.tsx";
import { Letters } from "../pages/letters.tsx";
import { ObjectPage } from "../pages/object.tsx";
import { QueuePage } from "../pages/queue.tsx";
import { Relay } from "../pages/relay.tsx";
import { Foreign } from "../parts/text.tsx";
import { goTo, useAddress } from "../place/location.ts";
import { type View, viewOf } from "../place/place.ts";
import { Dialog } from "./dialog.tsx";
import { followKeys, KEYS } from "./keys.ts";
import { Search } from "./search.tsx";
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

/** The session is missing, over, or was refused: says how this console lets persons in. */
function SignIn({ error }: { readonly error: ErrorBody }) {
  return (
    <div class="sign-in sheet">
      <h1>Sign in</h1>
      <p>
        <Foreign text={error.message} />
      </p>
      <p>
        <Foreign text={error.next} />
      </p>
      {error.signIn === "link" ? (
        <p class="muted">Once you have opened it in this browser, this page continues where it was.</p>
      ) : (
        <TokenForm />
      )}
    </div>
  );
}

function TokenForm() {
  const [token, setToken] = useState("");
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          keepToken(token.trim());
          void readTopics();
        }}
      >
        <label>
          Token of the API server
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={token}
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
          />
        </label>
        <button type="submit" class="button main" disabled={token.trim() === ""}>
          Sign in
        </button>
      </form>
      <p class="muted">
        A token of a ServiceAccount, for one hour: <code>kubectl create token NAME --duration=1h</code>
      </p>
    </>
  );
}

/** An address that the console does not have. */
function Missing() {
  return (
    <>
      <div class="head">
        <h1>Not there</h1>
      </div>
      <div class="sheet say">
        <p>
          The console has no page at this address. <a href="/">The fleet</a> leads to every Cluster;{" "}
          <kbd>Ctrl K</kbd> finds objects, functions, letters and runs.
        </p>
      </div>
    </>
  );
}
