import { ensureServerBuilt, type OpenService, startServer } from "../support/server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { openConnections } from "./connection.ts";

/** One service on a data folder of its own, without any other. */
export const openEmbedded: OpenService = async (count) => {
  await ensureServerBuilt();
  const server = await startServer(temporaryFolder());
  const connections = await openConnections(server.port, count);
  return {
    server,
    connections,
    async close() {
      connections.close();
      await server.kill();
    },
  };
};
