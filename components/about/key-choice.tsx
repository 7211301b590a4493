"use client";
import { Fragment, useState } from "react";
import { chooseKey, type DeedName, forgetKeys, useKeyMap } from "../shell/key-map";

/** Each key as a button: pressed, it takes the next key for its own. */
export function KeyChoice() {
  const { map, isChanged } = useKeyMap();
  const [waiting, setWaiting] = useState<DeedName | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const take = (name: DeedName, event: React.KeyboardEvent) => {
    if (waiting !== name || ["Tab", "Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
    // The key is chosen here, and does nothing else.
    event.preventDefault();
    event.stopPropagation();
    setRefusal(event.key === "Escape" ? null : chooseKey(name, event.key));
    setWaiting(null);
  };
  return (
    <>
      <dl className="keys">
        {map.map(({ name, key, does, follows }) => (
          <Fragment key={name}>
            <dt>
              <button
                className="key"
                aria-label={waiting === name ? `press the key for: ${does}` : `${key}: ${does}; change`}
                onClick={() => setWaiting(name)}
                onKeyDown={(event) => take(name, event)}
                onBlur={() => setWaiting((now) => (now === name ? null : now))}
              >
                {waiting === name ? "press a key" : key}
              </button>
            </dt>
            <dd className={follows ? "follows" : undefined}>{does}</dd>
          </Fragment>
        ))}
      </dl>
      <p className="ev" role="status">
        {refusal ?? "Press one of them, then the key you would rather have. This browser keeps it."}
      </p>
      {isChanged && <button onClick={forgetKeys}>As at first</button>}
    </>
  );
}
