import { useState } from "preact/hooks";
import type { ErrorBody } from "../../api/error.ts";
import { keepToken } from "../data/session.ts";
import { readTopics } from "../data/topics.ts";
import { Foreign } from "../parts/foreign.tsx";

/** The session is missing, over, or was refused: says how this console lets persons in. */
export function SignIn({ error }: { readonly error: ErrorBody }) {
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
