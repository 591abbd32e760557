/**
 * Every fixed maximum, page size and time-out of the service, with its unit in the name. What an operator may change is
 * in config/settings.ts.
 */

export const uint32Max = 4_294_967_295;

export const bodyMaxBytes = 64 * 1024;
export const heartbeatBodyMaxBytes = 1024 * 1024;
export const jsonDepthMax = 16;
/** JSON values in a body: more than fit into 64 KiB, and more than twice as many as a heartbeat may name players. */
export const bodyValuesMax = 50_000;
/** Of a call that players make: the largest valid one has a few hundred. */
export const playerBodyValuesMax = 1_000;
/** Of a create: a `lobby_config` of 16 KiB has at most 8,193. */
export const createBodyValuesMax = 10_000;
export const headersMax = 256;

/** New connections that wait to be accepted. The system may allow fewer. */
export const connectionQueueMax = 4096;

/** Requests, and large bodies, that begin in one turn of the event loop. */
export const startsPerTurnMax = 16;
/** A request that has waited this long for its turn is rejected, so that its client tries again later. */
export const requestWaitMaxMs = 2_000;
/** While so many wait, a connection whose request was answered stays unread until there is room. */
export const crowdedFrom = 128;
/** A client that has sent more requests than this before it has the answer to the first gets none. */
export const requestsBehindMax = 64;

/** A client must read at least this much of a waiting answer in each period, or all that is left of it. */
export const answerPieceBytes = 64 * 1024;
export const answerPieceMs = 30_000;
/** Bytes of answers that one client has not read; above this it gets no new answers. */
export const untakenBytesMax = 16 * 1024 * 1024;

/** Of a lobby's answer through the gateway. */
export const answerHeadMaxBytes = 16 * 1024;
export const answerHeadMaxMs = 60_000;
/** For the connection to another node through which a lobby is reached. */
export const nodeConnectMaxMs = 10_000;

export const pageSizeDefault = 100;
export const pageSizeMax = 500;
/** Lobbies that a watch shows. */
export const watchedLobbiesMax = 1000;
/** Of lobbies' states, or of a whole answer, in one page of a list; one entry there is always. */
export const pageMaxBytes = 1024 * 1024;

export const nameIdMaxCharacters = 32;
export const displayNameMaxBytes = 128;
export const domainMaxCharacters = 253;
export const domainLabelMaxCharacters = 63;
export const domainsPerNamespaceMax = 32;

export const blocksPerNamespaceMax = 1000;
export const blockNoteMaxCharacters = 256;

export const gameModesMax = 32;
export const regionsMax = 64;
export const portsMax = 16;
export const reconnectMaxS = 3600;
export const pingUrlMaxCharacters = 512;

export const findGameModesMax = 16;
export const findRegionsMax = 64;
/** Of a join code as a player may type it. */
export const joinCodeMaxCharacters = 32;
export const partySizeMax = 64;
export const playerKeyMaxCharacters = 128;
export const tagsMax = 8;
export const tagNameMaxBytes = 64;
export const tagValueMaxBytes = 256;
export const lobbyStateMaxBytes = 16 * 1024;
export const lobbyConfigMaxBytes = 16 * 1024;
export const heartbeatPlayersMax = 20_000;
export const idempotencyKeyMaxCharacters = 128;
export const playerTokenMaxCharacters = 512;

/** Uploads of builds that a node receives at the same time. */
export const uploadsMax = 4;
/** While a client sends a build, at least this much must arrive in each period. */
export const uploadPieceBytes = 64 * 1024;
export const uploadPieceMs = 10_000;
export const uploadMaxMs = 30 * 60_000;
/** Builds that no version has named for so long are deleted. */
export const unnamedBuildKeptMs = 7 * 24 * 60 * 60_000;

export const auditRowsMax = 1_000_000;

export const lobbyCountMaxDefault = 1000;
export const maxPlayersDefault = 100;
