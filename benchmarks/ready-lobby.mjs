// The least that a lobby can be: it says that it is ready and waits to be ended.
import { request } from "node:http";

const { FOYER_API_ENDPOINT, FOYER_TOKEN } = process.env;
const headers = { authorization: `Bearer ${FOYER_TOKEN}` };
request(`${FOYER_API_ENDPOINT}/matchmaker/lobbies/ready`, { method: "POST", headers }, (answer) => {
  answer.resume();
}).end();
setInterval(() => {}, 1_000_000);
