import type { Candidate, CandidateCode, Explanation, LobbyView, NewLobby, Seated } from "../../matchmaker/commands.ts";
import { createdSummary, seatedSummary } from "./find-summary.ts";

/** What `explain` adds to a reply: the rules' reasons in words that a game developer understands. */
export function explain(explanation: Explanation | undefined, summary: string, seats: number) {
  if (explanation === undefined) return {};
  const candidates = explanation.candidates.map((candidate) => ({
    lobby_id: candidate.lobbyId,
    game_mode_id: candidate.gameMode,
    region_id: candidate.region,
    codes: [...candidate.codes],
    message: candidate.codes.map((code) => words[code](candidate, seats)).join(" "),
  }));
  const { hasMore, privateCount } = explanation;
  return { explain: { summary, candidates, has_more: hasMore, private_count: privateCount } };
}

export function explainSeated({ lobby, isNewLobby, isReplay, explanation }: Seated, seats: number) {
  return isReplay ? explainReplay() : explain(explanation, seatedSummary(lobby, isNewLobby), seats);
}

/** `planned` is the lobby that would be made where none fits. */
export function explainPreview(
  { lobby, explanation }: { readonly lobby: LobbyView | null; readonly explanation?: Explanation },
  planned: NewLobby | null,
  seats: number,
) {
  if (lobby !== null) return explain(explanation, seatedSummary(lobby, false), seats);
  return planned ? explain(explanation, createdSummary(planned), seats) : {};
}

/** A retry decides nothing, so there is nothing to explain but that. */
function explainReplay() {
  const summary = "This is a retry with the same Idempotency-Key: it got the seats of the first call.";
  return { explain: { summary, candidates: [], has_more: false, private_count: 0 } };
}

const words: Record<CandidateCode, (candidate: Candidate, wanted: number) => string> = {
  chosen: ({ taken, cap }) => `Chosen, with ${taken} of ${inSeats(cap)} taken: of those that fit, find prefers it.`,
  larger_id: () => "It fits and is as full and as old as the chosen one; of two such the smaller id is taken.",
  newer: ({ taken }) => `It fits and has ${inSeats(taken)} taken like the chosen one, but it is newer.`,
  less_full: ({ taken, cap }) =>
    `It fits, but with ${taken} of ${inSeats(cap)} taken it is less full than the chosen one.`,
  not_ready: () => "It fits, but it is still starting; a ready lobby is taken first.",
  other_pair_first: ({ gameMode, region }) =>
    `It fits, but ${gameMode} in ${region} comes after a game mode and region in which a lobby fits.`,
  client_limit: () => "It fits, but this client would hold more seats than max_players_per_client allows.",
  party_does_not_fit: ({ taken, cap }, wanted) => `It has ${inSeats(cap - taken)} free, and the party needs ${wanted}.`,
  full: ({ taken, cap }) => `It is full: ${taken} taken, and find may fill it to ${cap}.`,
  missing_tags: ({ missingTags }) => `It does not have the wanted value of ${missingTags.map(quote).join(", ")}.`,
  closed: () => "It is closed: it said so by setClosed or in a heartbeat. Players can still join it by id.",
  closed_by_operator: () => "It is closed by the operator. Players can still join it by id.",
  silent: () => "It is silent: its heartbeats stopped. It is found again after the next one.",
  other_version: () => "It runs another version than the one that is deployed.",
};

function inSeats(count: number): string {
  return count === 1 ? "1 seat" : `${count} seats`;
}

function quote(tag: string): string {
  return `the tag ${JSON.stringify(tag)}`;
}
