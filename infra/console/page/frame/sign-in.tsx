import { useState } from "preact/hooks";
import type { ErrorBody } from "../../api/error.ts";
import { keepToken } from "../data/session.ts";
import { readTopics } from "../data/topics.ts";
import { Foreign } from "../parts/foreign.tsx";

/** Asks for a token: the session is missing, over, or was refused. */
export function SignIn({ error }: { readonly error: ErrorBody }) {
  const [token, setToken] = useState("");
  return (
    <div class="sign-in sheet">
      <h1>Sign in</h1>
      <p>
        <Foreign text={error.message} />
      </p>
      <p>
        <Foreign text={error.next} />
      </p>
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
        On the machine that runs the console, open the link that its terminal shows. Elsewhere:{" "}
        <code>kubectl create token NAME --duration=1h</code>
      </p>
    </div>
  );
}
