"""The server side of Foyer, the self-hosted matchmaker, for games in Python 3.9 and later. Standard library only."""

import contextlib
import json
import os
import random
import signal
import threading
import time
import urllib.error
import urllib.request


class FoyerError(Exception):
    """Foyer refused a call. `code` is one of those on its page /docs/errors; NO_ANSWER: Foyer did not answer."""

    def __init__(self, code, message, status=0, request_id=None, errors=()):
        super().__init__(message)
        self.code = code
        self.status = status
        self.request_id = request_id
        self.errors = list(errors)


class Foyer:
    """Calls operations: `Foyer(endpoint, token).call("POST", "/matchmaker/lobbies/find", {"game_modes": ["duel"]})`."""

    def __init__(self, endpoint, token=None, timeout_s=70):
        self.endpoint = endpoint.rstrip("/")
        self.token = token
        self.timeout_s = timeout_s

    def call(self, method, path, body=None, tries=1, timeout_s=None):
        """Returns the JSON of the answer, or None. `tries` above 1 only for calls that are safe to repeat."""
        for attempt in range(1, tries + 1):
            try:
                return self._send(method, path, body, timeout_s or self.timeout_s)
            except FoyerError as error:
                may_pass = error.status in (0, 408, 429, 502, 503, 504)
                if not may_pass or attempt == tries:
                    raise
            time.sleep(random.uniform(0, 0.2 * 2**attempt))

    def _send(self, method, path, body, timeout_s):
        headers = {}
        if self.token is not None:
            headers["authorization"] = f"Bearer {self.token}"
        data = None
        if body is not None:
            headers["content-type"] = "application/json"
            data = json.dumps(body).encode()
        request = urllib.request.Request(self.endpoint + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout_s) as response:
                text = response.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            raise _read_refusal(error) from None
        except OSError as error:
            message = f"Foyer did not answer: {error}. Is it running, and is the endpoint right?"
            raise FoyerError("NO_ANSWER", message) from error


def _read_refusal(error):
    try:
        answer = json.loads(error.read())
        code, message, errors = answer["code"], answer["message"], answer.get("errors", ())
    except (ValueError, KeyError, TypeError, AttributeError):
        code, errors = "UNKNOWN", ()
        message = f"The answer has status {error.code} and did not come from Foyer."
    return FoyerError(code, message, error.code, error.headers.get("x-request-id"), errors)


class Player:
    """A player's connection to the lobby. `on_end` is called with a reason when the connection must end."""

    def __init__(self, token, answer, on_end):
        self.token = token
        self.player_id = answer["player_id"]
        self.key = answer.get("key")
        self.is_key_vouched = answer.get("is_key_vouched", False)
        self.returned = answer["returned"]
        self.on_end = on_end


class LobbyServer:
    """One lobby, from ready to stop. Reads FOYER_TOKEN and FOYER_API_ENDPOINT. Its methods may be called from any thread."""

    def __init__(self, endpoint=None, token=None, heartbeat_s=None, on_closed=None, on_outdated=None, on_stopping=None):
        endpoint = endpoint or os.environ.get("FOYER_API_ENDPOINT")
        token = token or os.environ.get("FOYER_TOKEN")
        if not endpoint or not token:
            raise FoyerError(
                "NOT_CONFIGURED",
                "FOYER_TOKEN and FOYER_API_ENDPOINT are not set: run this server with `foyer dev -- python3 server.py`,"
                " let Foyer start it, or set them to a development token and Foyer's address.",
            )
        self.lobby_id = os.environ.get("FOYER_LOBBY_ID")
        self.code = os.environ.get("FOYER_LOBBY_CODE")
        self._foyer = Foyer(endpoint, token, timeout_s=5)
        self._fixed_s = heartbeat_s
        self._expected_s = float(os.environ.get("FOYER_HEARTBEAT_S", 0))
        self._on_closed, self._on_outdated, self._on_stopping = on_closed, on_outdated, on_stopping
        self._players = {}
        self._lock = threading.Lock()
        self._turns = {}
        self._stopped = threading.Event()
        self._beating = False

    def ready(self):
        """Players can connect from now on. Heartbeats begin."""
        self._foyer.call("POST", "/matchmaker/lobbies/ready", tries=5)
        if not self._beating:
            self._beating = True
            threading.Thread(target=self._beat, daemon=True).start()

    def close(self):
        """Find sends no players here. They can still join by id or code."""
        self._foyer.call("PUT", "/matchmaker/lobbies/closed", {"is_closed": True}, tries=5)

    def open(self):
        """Find sends players here again, unless an operator has closed the lobby too."""
        self._foyer.call("PUT", "/matchmaker/lobbies/closed", {"is_closed": False}, tries=5)

    def set_state(self, state):
        """What the list of lobbies shows of this one."""
        self._foyer.call("PUT", "/matchmaker/lobbies/state", state, tries=5)

    def admit(self, player_token, on_end=None):
        """The player of a token; raises FoyerError when it is not valid here. Replaces an older connection of the player."""
        with self._turn(player_token):
            with self._lock:
                old = self._players.get(player_token)
            if old is not None:
                answer = {"player_id": old.player_id, "key": old.key, "is_key_vouched": old.is_key_vouched, "returned": True}
            else:
                answer = self._connect(player_token)
            player = Player(player_token, answer, on_end)
            with self._lock:
                self._players[player_token] = player
        if old is not None and old.on_end:
            old.on_end("replaced")
        return player

    def _connect(self, token):
        body = {"player_token": token}
        try:
            return self._foyer.call("POST", "/matchmaker/players/connected", body)
        except FoyerError as error:
            if error.code != "MATCHMAKER_PLAYER_ALREADY_CONNECTED":
                raise
        # This server was restarted, or an answer was lost: the player dropped and comes back, where reconnect_s allows it.
        self._foyer.call("POST", "/matchmaker/players/disconnected", {**body, "may_return": True}, tries=5)
        return self._foyer.call("POST", "/matchmaker/players/connected", body)

    def leave(self, player, may_return=False):
        """Frees the seat, or has it held for reconnect_s. Does nothing when a newer connection has replaced this one."""
        with self._turn(player.token):
            if not self._forget(player):
                return
            body = {"player_token": player.token, "may_return": may_return}
            try:
                self._foyer.call("POST", "/matchmaker/players/disconnected", body, tries=3)
            except FoyerError as error:
                # The next heartbeats do not name the player, so that Foyer ends or holds the seat.
                _report("a player left, and Foyer did not accept it", error)

    def players(self):
        with self._lock:
            return list(self._players.values())

    @contextlib.contextmanager
    def _turn(self, token):
        """Calls about one player run one after the other, so that a leave never overtakes a newer admit."""
        with self._lock:
            turn = self._turns.setdefault(token, [threading.Lock(), 0])
            turn[1] += 1
        try:
            with turn[0]:
                yield
        finally:
            with self._lock:
                turn[1] -= 1
                if turn[1] == 0:
                    del self._turns[token]

    def _forget(self, player):
        """False: a newer connection has replaced this one, or it has left already."""
        with self._lock:
            is_here = self._players.get(player.token) is player
            if is_here:
                del self._players[player.token]
            return is_here

    def stop(self, reason="stop_called"):
        """Ends the lobby and the connections of its players."""
        if self._stopped.is_set():
            return
        self._stopped.set()
        if self._on_stopping:
            self._on_stopping(reason)
        with self._lock:
            players, self._players = list(self._players.values()), {}
        for player in players:
            if player.on_end:
                player.on_end("stopping")
        if reason != "stopped_by_foyer":
            try:
                self._foyer.call("POST", "/matchmaker/lobbies/stop", tries=3)
            except FoyerError as error:
                if error.status not in (401, 410):
                    _report("Foyer did not accept the end of the lobby", error)

    def stop_on_signals(self):
        """SIGTERM and SIGINT end the lobby and then the process. Call it from the main thread."""

        def end(*_):
            # In a thread of its own: the signal may have interrupted a method that holds the lock.
            threading.Thread(target=lambda: (self.stop("signal"), os._exit(0))).start()

        signal.signal(signal.SIGTERM, end)
        signal.signal(signal.SIGINT, end)

    def _beat(self):
        was_closed = was_outdated = False
        while not self._stopped.wait(self._fixed_s or min(self._expected_s / 3 or 10, 10)):
            try:
                sent = {player.player_id: player for player in self.players()}
                answer = self._foyer.call("POST", "/matchmaker/lobbies/heartbeat", {"player_ids": list(sent)})
            except FoyerError as error:
                if error.status in (401, 410):
                    return self.stop("stopped_by_foyer")
                _report("Foyer did not accept a heartbeat", error)
                continue
            self._expected_s = answer["heartbeat_s"]
            self._remove_missing(sent, answer["player_ids"])
            is_closed = answer["is_closed"] or answer["is_closed_by_operator"]
            if is_closed != was_closed and self._on_closed:
                self._on_closed(is_closed)
            if answer["is_outdated"] and not was_outdated and self._on_outdated:
                self._on_outdated()
            was_closed, was_outdated = is_closed, answer["is_outdated"]

    def _remove_missing(self, sent, known_ids):
        """Ends the connections of players whose seats Foyer has ended."""
        for player_id in set(sent) - set(known_ids):
            player = sent[player_id]
            if self._forget(player) and player.on_end:
                player.on_end("removed")


def _report(what, error):
    print(f"{what}: {error.code}: {error}", flush=True)
