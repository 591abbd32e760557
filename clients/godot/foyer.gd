## Foyer, the self-hosted matchmaker, for games in Godot 4: copy this one file into your project.
##
## No test has run this file, because Foyer is tested on machines without Godot. A test only compares the paths, fields and
## error codes in it with the API's description. It was written from the documentation of Godot 4.2.
class_name Foyer
extends Node

## Find avoids this lobby from now on, or no longer does: this server or an operator closed or opened it.
signal closed_changed(is_closed: bool)
## Another version was deployed: find sends no players here. Stop when the round is over.
signal outdated
## Foyer has ended this lobby. Save what you need and quit.
signal stopped_by_foyer
signal _turn_ended

const MAY_PASS := [0, 408, 429, 502, 503, 504]

## Where Foyer is, such as "https://play.example.com".
var endpoint := ""
## A public token in a game client, the lobby's own token in a game server. "" on a page whose domain the namespace trusts.
var token := ""

var _players := {}  # FoyerPlayer by player token: those who are connected to this server.
var _busy := {}  # Player tokens for which a call is under way.
var _heartbeat_s := 0.0
var _is_beating := false
var _is_stopped := false
var _was_closed := false
var _was_outdated := false

## What Foyer answered. When `ok` is false, `code` says why: /docs/errors of your service lists the codes.
class FoyerAnswer:
	var ok := false
	var data = null  # The JSON of the answer. Numbers are floats in Godot: int(seat.data.ports.default.port).
	var player: FoyerPlayer = null  # Of admit() only.
	var status := 0  # 0: Foyer did not answer.
	var code := ""
	var message := ""
	var retry_after_s := 0.0  # How long Foyer asks to wait before the next try; 0: it does not say.
	var request_id := ""

## A player's connection to this lobby.
class FoyerPlayer:
	## This connection must end: "replaced" by a newer one, "removed" by Foyer, or "stopping".
	signal ended(reason: String)
	var player_token := ""
	var player_id := ""
	var key := ""  # Your own name for the player; "" if there is none.
	var returned := false  # The player had this seat before and came back to it.

## For game clients. Add the result to the tree: add_child(foyer).
static func for_players(service: String, public_token := "") -> Foyer:
	var foyer := Foyer.new()
	foyer.endpoint = service.trim_suffix("/")
	foyer.token = public_token
	return foyer

## For game servers. Reads FOYER_API_ENDPOINT and FOYER_TOKEN. Add the result to the tree: add_child(foyer).
static func for_lobby() -> Foyer:
	var foyer := for_players(OS.get_environment("FOYER_API_ENDPOINT"), OS.get_environment("FOYER_TOKEN"))
	foyer._heartbeat_s = OS.get_environment("FOYER_HEARTBEAT_S").to_float()
	if foyer.endpoint == "" or foyer.token == "":
		push_error("FOYER_TOKEN and FOYER_API_ENDPOINT are not set: let Foyer or `foyer dev -- godot --headless` start this server.")
	return foyer

## A seat in the fullest lobby that fits, or in a new one. `more`: regions, tags, party_size and so on.
func find(game_modes: Array, more := {}) -> FoyerAnswer:
	return await _take_seat("/matchmaker/lobbies/find", {"game_modes": game_modes}, more)

## A seat in one lobby, by its id or by the code that a friend sent.
func join(id_or_code: String, more := {}) -> FoyerAnswer:
	var is_id := id_or_code.length() == 36 and id_or_code.count("-") == 4
	var body := {"lobby_id": id_or_code} if is_id else {"code": id_or_code}
	return await _take_seat("/matchmaker/lobbies/join", body, more)

## A seat in a new lobby. `more`: publicity ("public" or "private"), region, lobby_config and so on.
func create(game_mode: String, more := {}) -> FoyerAnswer:
	return await _take_seat("/matchmaker/lobbies/create", {"game_mode": game_mode}, more)

## The public lobbies, one page: `data.lobbies`. `query`: game_mode, region, and for the next page `data.cursor` as cursor.
func list(query := {}) -> FoyerAnswer:
	var text := HTTPClient.new().query_string_from_dict(query)
	return await _request(HTTPClient.METHOD_GET, "/matchmaker/lobbies/list?" + text, null, 5)

## The seat that the player still has, after a restart of the game. Keep `data.player.token` of find for it.
func resume(player_token: String) -> FoyerAnswer:
	return await _post("/matchmaker/players/resume", {"player_token": player_token}, 5, 70.0)

## Gives up a seat before the player connects to the lobby, or while it is held.
func release(player_token: String) -> FoyerAnswer:
	return await _post("/matchmaker/players/release", {"player_token": player_token}, 5)

## Players can connect from now on. Heartbeats with the connected players begin.
func ready_for_players() -> FoyerAnswer:
	var answer := await _post("/matchmaker/lobbies/ready", null, 5)
	if answer.ok and not _is_beating:
		_is_beating = true
		_send_heartbeats()
	return answer

## True: find sends no players here; they can still join by id or code. False: find sends players here again.
func set_closed(is_closed: bool) -> FoyerAnswer:
	return await _request(HTTPClient.METHOD_PUT, "/matchmaker/lobbies/closed", {"is_closed": is_closed}, 5)

## Admits the player of a token that a client sent. Check `ok`; `player` is the player. A newer connection of the same
## player replaces the older one, whose `ended` is emitted.
func admit(player_token: String) -> FoyerAnswer:
	await _take_turn(player_token)
	var answer := FoyerAnswer.new()
	var old: FoyerPlayer = _players.get(player_token)
	if old != null:
		answer.ok = true
		answer.data = {"player_id": old.player_id, "key": old.key, "returned": true}
	else:
		answer = await _connect_player(player_token)
	if answer.ok:
		answer.player = FoyerPlayer.new()
		answer.player.player_token = player_token
		answer.player.player_id = answer.data.player_id
		answer.player.key = answer.data.get("key", "")
		answer.player.returned = answer.data.returned
		_players[player_token] = answer.player
	_end_turn(player_token)
	if old != null:
		old.ended.emit("replaced")
	return answer

## The player left. With may_return Foyer holds the seat for the game mode's reconnect_s. Does nothing when a newer
## connection has replaced this one. If the call fails, Foyer learns the same from the next heartbeats.
func leave(player: FoyerPlayer, may_return := false) -> void:
	await _take_turn(player.player_token)
	if _players.get(player.player_token) == player:
		_players.erase(player.player_token)
		var body := {"player_token": player.player_token, "may_return": may_return}
		await _post("/matchmaker/players/disconnected", body, 3)
	_end_turn(player.player_token)

## Ends the lobby and the connections of its players. Quit afterwards.
func stop() -> FoyerAnswer:
	_is_stopped = true
	_end_connections("stopping")
	return await _post("/matchmaker/lobbies/stop", null, 3)

func _connect_player(player_token: String) -> FoyerAnswer:
	var body := {"player_token": player_token}
	var answer := await _post("/matchmaker/players/connected", body, 1)
	if answer.code != "MATCHMAKER_PLAYER_ALREADY_CONNECTED":
		return answer
	# This server was restarted, or an answer was lost: the player dropped and comes back, where reconnect_s allows it.
	var dropped := {"player_token": player_token, "may_return": true}
	await _post("/matchmaker/players/disconnected", dropped, 3)
	return await _post("/matchmaker/players/connected", body, 1)

func _send_heartbeats() -> void:
	while not _is_stopped:
		var pause_s := minf(_heartbeat_s / 3.0, 10.0) if _heartbeat_s > 0.0 else 10.0
		await get_tree().create_timer(pause_s).timeout
		var sent := _players.duplicate()
		var ids := sent.values().map(func(player: FoyerPlayer) -> String: return player.player_id)
		var answer := await _post("/matchmaker/lobbies/heartbeat", {"player_ids": ids}, 1, 10.0)
		if _is_stopped:
			return
		if answer.status == 401 or answer.status == 410:
			_is_stopped = true
			_end_connections("stopping")
			stopped_by_foyer.emit()
		elif answer.ok:
			_learn(sent, answer.data)

func _learn(sent: Dictionary, data: Dictionary) -> void:
	_heartbeat_s = data.heartbeat_s
	for player: FoyerPlayer in sent.values():
		if _players.get(player.player_token) == player and not data.player_ids.has(player.player_id):
			_players.erase(player.player_token)
			player.ended.emit("removed")
	var is_closed: bool = data.is_closed or data.is_closed_by_operator
	if is_closed != _was_closed:
		_was_closed = is_closed
		closed_changed.emit(is_closed)
	if data.is_outdated and not _was_outdated:
		outdated.emit()
	_was_outdated = data.is_outdated

func _end_connections(reason: String) -> void:
	var players := _players.values()
	_players.clear()
	for player: FoyerPlayer in players:
		player.ended.emit(reason)

# Calls about one player run one after the other, so that a leave never overtakes a newer admit.
func _take_turn(player_token: String) -> void:
	while _busy.has(player_token):
		await _turn_ended
	_busy[player_token] = true

func _end_turn(player_token: String) -> void:
	_busy.erase(player_token)
	_turn_ended.emit()

# Foyer may wait 60 s for a lobby to start. With the key a repeated call takes no second seat.
func _take_seat(path: String, body: Dictionary, more: Dictionary) -> FoyerAnswer:
	body.merge(more)
	var key := Crypto.new().generate_random_bytes(16).hex_encode()
	return await _request(HTTPClient.METHOD_POST, path, body, 5, 70.0, ["Idempotency-Key: " + key])

func _post(path: String, body, tries: int, timeout_s := 5.0) -> FoyerAnswer:
	return await _request(HTTPClient.METHOD_POST, path, body, tries, timeout_s)

func _request(method: HTTPClient.Method, path: String, body, tries: int, timeout_s := 5.0, extra := []) -> FoyerAnswer:
	var answer: FoyerAnswer
	for attempt in range(1, tries + 1):
		answer = await _send(method, path, body, extra, timeout_s)
		if answer.ok or not MAY_PASS.has(answer.status) or attempt == tries or answer.retry_after_s > 10.0:
			break
		await get_tree().create_timer(answer.retry_after_s + randf() * 0.2 * pow(2, attempt)).timeout
	return answer

func _send(method: HTTPClient.Method, path: String, body, extra: Array, timeout_s: float) -> FoyerAnswer:
	var headers := PackedStringArray(extra)
	if token != "":
		headers.append("Authorization: Bearer " + token)
	if body != null:
		headers.append("Content-Type: application/json")
	var http := HTTPRequest.new()
	http.timeout = timeout_s
	add_child(http)
	var completed := [HTTPRequest.RESULT_CANT_CONNECT, 0, PackedStringArray(), PackedByteArray()]
	if http.request(endpoint + path, headers, method, "" if body == null else JSON.stringify(body)) == OK:
		completed = await http.request_completed
	http.queue_free()
	return _read(completed[0], completed[1], completed[2], completed[3])

func _read(result: int, status: int, headers: PackedStringArray, bytes: PackedByteArray) -> FoyerAnswer:
	var answer := FoyerAnswer.new()
	if result != HTTPRequest.RESULT_SUCCESS:
		answer.code = "NO_ANSWER"
		answer.message = "Foyer did not answer at %s (result %d of HTTPRequest). Is it running?" % [endpoint, result]
		return answer
	answer.status = status
	answer.ok = status >= 200 and status < 300
	answer.data = null if bytes.is_empty() else JSON.parse_string(bytes.get_string_from_utf8())
	for header in headers:
		if header.to_lower().begins_with("retry-after:"):
			answer.retry_after_s = header.get_slice(":", 1).strip_edges().to_float()
	if not answer.ok:
		var is_refusal: bool = answer.data is Dictionary and answer.data.has("code")
		answer.code = answer.data.code if is_refusal else "UNKNOWN"
		answer.message = answer.data.message if is_refusal else "The answer with status %d is not Foyer's." % status
		answer.request_id = answer.data.request_id if is_refusal else ""
	return answer
