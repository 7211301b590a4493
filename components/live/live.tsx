"use client";
import { useQueryClient } from "@tanstack/react-query";
import { createContext, use, useEffect, useRef, useState } from "react";
import { useTRPC, useTRPCClient } from "../trpc";
import { applyDelta, askNoMore } from "./apply-delta";
import { openLiveChannel, type LiveState } from "./live-channel";

type Live = { state: LiveState; want: (from: string, ids: string[]) => void };

const LiveContext = createContext<Live>({ state: { mark: "catching up", since: 0 }, want: () => undefined });

/** Keeps everything below it live, over one stream for the whole browser. */
export function LiveProvider({ children }: { children: React.ReactNode }) {
  const [state, setState] = useState<LiveState>({ mark: "catching up", since: 0 });
  const client = useTRPCClient();
  const queries = useQueryClient();
  const trpc = useTRPC();
  const wants = useRef(new Map<string, string[]>());
  const channel = useRef<ReturnType<typeof openLiveChannel> | null>(null);
  useEffect(() => {
    const opened = openLiveChannel(client, {
      onDelta: (delta) => applyDelta(queries, trpc, delta),
      onState: (next) => {
        if (next.mark === "signed out") askNoMore(queries);
        setState((held) => (held.mark === next.mark ? held : next));
      },
    });
    channel.current = opened;
    opened.want([...wants.current.values()].flat());
    return () => {
      opened.close();
      channel.current = null;
    };
  }, [client, queries, trpc]);
  const [want] = useState(() => (from: string, ids: string[]) => {
    if (ids.length > 0) wants.current.set(from, ids);
    else wants.current.delete(from);
    channel.current?.want([...wants.current.values()].flat());
  });
  return <LiveContext value={{ state, want }}>{children}</LiveContext>;
}

export function useLiveState(): LiveState {
  return use(LiveContext).state;
}

/** Tells the stream which rows this part of the page shows. */
export function useLiveRows(part: string, ids: string[]): void {
  const { want } = use(LiveContext);
  const key = ids.join();
  useEffect(() => {
    want(part, key ? key.split(",") : []);
    return () => want(part, []);
  }, [want, part, key]);
}
