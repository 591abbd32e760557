import { matchMaker, Room, Server } from "@colyseus/core";
import { RedisDriver } from "@colyseus/redis-driver";
import { RedisPresence } from "@colyseus/redis-presence";
import { WebSocketTransport } from "@colyseus/ws-transport";
import { serveColyseus } from "../colyseus.mjs";

await serveColyseus({ Server, Room, matchMaker, WebSocketTransport, RedisPresence, RedisDriver });
