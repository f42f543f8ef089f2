import { render } from "preact";
import { openSession } from "./data/session.ts";
import { startStream } from "./data/stream.ts";
import { App } from "./frame/app.tsx";
import { followAddress } from "./place/location.ts";

const page = document.getElementById("page");
if (page !== null) {
  await openSession();
  followAddress();
  startStream();
  // In a task of its own: that of the script has read and compiled it.
  setTimeout(() => render(<App />, page));
}
