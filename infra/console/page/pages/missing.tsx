/** An address that the console does not have. */
export function Missing() {
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
