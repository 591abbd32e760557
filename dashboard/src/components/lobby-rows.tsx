import { useVirtualizer } from "@tanstack/react-virtual";
import type { OperatorLobby } from "foyer-sdk";
import { memo, useRef } from "react";
import { Link } from "wouter";
import { toLobby } from "../addresses.ts";
import { Fill, LobbyState } from "./lobby-state.tsx";
import { Age } from "./time.tsx";

interface Properties {
  readonly game: string;
  readonly namespace: string;
  readonly lobbies: readonly OperatorLobby[];
}

const rowHeightPx = 58;

/** Thousands of lobbies: only the rows that can be seen are in the document. */
export function LobbyRows({ game, namespace, lobbies }: Properties) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: lobbies.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeightPx,
    getItemKey: (index) => lobbies[index]!.lobby_id,
    overscan: 5,
    // Rows are drawn with the next frame: drawing at once blocks the scrolling itself.
    useFlushSync: false,
  });
  return (
    // biome-ignore-start lint/a11y: rows that are not in the document cannot be those of a <table>; the roles say the same.
    <div className="lobby-rows" role="table" aria-label="Lobbies" aria-rowcount={lobbies.length + 1}>
      <div role="rowgroup">
        <div role="row" aria-rowindex={1} className="lobby-row head">
          <span role="columnheader">Lobby</span>
          <span role="columnheader">Seats</span>
          <span role="columnheader">State</span>
          <span role="columnheader" className="wide-only">
            Tags
          </span>
          <span role="columnheader" className="wide-only">
            Age
          </span>
        </div>
      </div>
      <div ref={scroller} className="lobby-scroller" role="rowgroup" tabIndex={0} aria-label="Rows">
        <div className="lobby-space" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ key, index, start }) => (
            <div
              key={key}
              role="row"
              aria-rowindex={index + 2}
              className="lobby-row"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Cells href={toLobby(game, namespace, lobbies[index]!.lobby_id)} lobby={lobbies[index]!} />
            </div>
          ))}
        </div>
      </div>
    </div>
    // biome-ignore-end lint/a11y: see above.
  );
}

/** A lobby that has not changed is the same object, and its row is not drawn again. */
const Cells = memo(function Cells({ href, lobby }: { href: string; lobby: OperatorLobby }) {
  const tags = Object.entries(lobby.tags);
  return (
    // biome-ignore-start lint/a11y: as above.
    <>
      <span role="cell" className="lobby-name">
        <Link href={href}>
          {lobby.game_mode_id} <span className="mono">{shortId(lobby.lobby_id)}</span>
        </Link>
        <span className="muted">
          {lobby.region_id}
          {lobby.code !== null && (
            <>
              {" · code "}
              <span className="mono">{lobby.code}</span>
            </>
          )}
        </span>
      </span>
      <span role="cell">
        <Fill lobby={lobby} />
      </span>
      <span role="cell">
        <LobbyState lobby={lobby} />
      </span>
      <span role="cell" className="wide-only muted cut">
        {tags.map(([name, value]) => `${name}=${value}`).join(", ") || "–"}
      </span>
      <span role="cell" className="wide-only muted number">
        <Age since={lobby.create_ts} />
      </span>
    </>
    // biome-ignore-end lint/a11y: see above.
  );
});

/** The end of an id: ids of lobbies begin with the time, so those of one minute begin alike. */
export function shortId(id: string): string {
  return id.slice(-8);
}
