import type { Candidate, CandidateCode, Explanation } from "../../matchmaker/commands.ts";

/** What `explain` answers: the rules' reasons in words that a game developer understands. */
export function toExplainReply(explanation: Explanation, summary: string, partySize: number) {
  return {
    summary,
    candidates: explanation.candidates.map((candidate) => ({
      lobby_id: candidate.lobbyId,
      game_mode_id: candidate.gameMode,
      region_id: candidate.region,
      codes: [...candidate.codes],
      message: candidate.codes.map((code) => words[code](candidate, partySize)).join(" "),
    })),
    has_more: explanation.hasMore,
    private_count: explanation.privateCount,
  };
}

/** A retry decides nothing, so there is nothing to explain but that. */
export function explainReplay() {
  const summary = "This is a retry with the same Idempotency-Key: it got the seats of the first call.";
  return { summary, candidates: [], has_more: false, private_count: 0 };
}

const words: Record<CandidateCode, (candidate: Candidate, partySize: number) => string> = {
  chosen: ({ taken, cap }) => `Chosen, with ${taken} of ${seats(cap)} taken: of those that fit, find prefers it.`,
  larger_id: () => "It fits and is as full and as old as the chosen one; of two such the smaller id is taken.",
  newer: ({ taken }) => `It fits and has ${seats(taken)} taken like the chosen one, but it is newer.`,
  less_full: ({ taken, cap }) =>
    `It fits, but with ${taken} of ${seats(cap)} taken it is less full than the chosen one.`,
  not_ready: () => "It fits, but it is still starting; a ready lobby is taken first.",
  other_pair_first: ({ gameMode, region }) =>
    `It fits, but ${gameMode} in ${region} comes after a game mode and region in which a lobby fits.`,
  client_limit: () => "It fits, but this client would hold more seats than max_players_per_client allows.",
  party_does_not_fit: ({ taken, cap }, partySize) =>
    `It has ${seats(cap - taken)} free, and the party needs ${partySize}.`,
  full: ({ taken, cap }) => `It is full: ${taken} taken, and find may fill it to ${cap}.`,
  missing_tags: ({ missingTags }) => `It does not have the wanted value of ${missingTags.map(quote).join(", ")}.`,
  closed: () => "It is closed: it said so by setClosed or in a heartbeat. Players can still join it by id.",
  closed_by_operator: () => "It is closed by the operator. Players can still join it by id.",
  silent: () => "It is silent: its heartbeats stopped. It is found again after the next one.",
  other_version: () => "It runs another version than the one that is deployed.",
};

function seats(count: number): string {
  return count === 1 ? "1 seat" : `${count} seats`;
}

function quote(tag: string): string {
  return `the tag ${JSON.stringify(tag)}`;
}
