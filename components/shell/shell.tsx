"use client";
import { HydrationBoundary, type DehydratedState } from "@tanstack/react-query";
import { usePathname } from "next/navigation";
import { useState } from "react";
import { LiveProvider } from "../live/live";
import { MadeAt } from "../time/now";
import { Connections } from "../trpc";
import { Announcer } from "./announcer";
import { Palette } from "./palette";
import { Shortcuts } from "./shortcuts";
import { SideBar } from "./side-bar";
import { SignedOut } from "./signed-out";
import { TopBar } from "./top-bar";

type Props = { madeAt: number; known: DehydratedState; children: React.ReactNode };

/** What stands around every page: the way to all others, the search, and whether it is live. */
export function Shell({ madeAt, known, children }: Props) {
  return (
    <MadeAt value={madeAt}>
      <Connections>
        <LiveProvider>
          <HydrationBoundary state={known}>
            <Frame>{children}</Frame>
          </HydrationBoundary>
        </LiveProvider>
      </Connections>
    </MadeAt>
  );
}

type Opened = "palette" | "help" | null;

function Frame({ children }: { children: React.ReactNode }) {
  const [opened, setOpened] = useState<Opened>(null);
  const path = usePathname();
  // The page for which the menu was opened: on any other it is closed again.
  const [menuAt, setMenuAt] = useState<string | null>(null);
  const isMenuOpen = menuAt === path;
  return (
    <div className="frame">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <SideBar isOpen={isMenuOpen} />
      <main id="content" tabIndex={-1} style={{ outline: "none" }}>
        <TopBar
          isMenuOpen={isMenuOpen}
          onMenu={() => setMenuAt(isMenuOpen ? null : path)}
          onSearch={() => setOpened("palette")}
          onHelp={() => setOpened("help")}
        />
        <SignedOut />
        {children}
      </main>
      <Shortcuts
        isHelpOpen={opened === "help"}
        onPalette={() => setOpened("palette")}
        onHelp={() => setOpened("help")}
        onClose={() => setOpened(null)}
      />
      {opened === "palette" && <Palette onClose={() => setOpened(null)} />}
      <Announcer />
    </div>
  );
}
