"use client";

/** What a page says when it cannot be drawn: the frame around it stays, and so does the way out. */
export default function PageError({ reset }: { reset: () => void }) {
  return (
    <div role="alert">
      <h1>This page cannot be shown</h1>
      <p className="say">Something in it went wrong; nothing was changed in the cluster.</p>
      <div className="cmds">
        <button className="main" onClick={reset}>
          Try again
        </button>
      </div>
    </div>
  );
}
