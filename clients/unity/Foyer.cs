// Foyer, the self-hosted matchmaker, for games in Unity 2021.3 and later: copy this one file into Assets.
// It needs Unity's package com.unity.nuget.newtonsoft-json. Call everything from the main thread.
// No test runs this file, because Foyer is tested on machines without Unity. A test only compares the paths, fields and error
// codes in it with the API's description. README.md beside it says what was tried by hand.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;
using UnityEngine;
using UnityEngine.Networking;

/// <summary>Foyer refused a call. /docs/errors of your service lists the codes; NO_ANSWER: Foyer did not answer.</summary>
public sealed class FoyerException : Exception {
    public readonly string Code, RequestId;
    public readonly long Status;
    /// <summary>How long Foyer asks to wait before the next try; 0: it does not say.</summary>
    public readonly float RetryAfterSeconds;
    public FoyerException(string code, string message, long status = 0, float retryAfter = 0, string requestId = "")
        : base(message) => (Code, Status, RetryAfterSeconds, RequestId) = (code, status, retryAfter, requestId);
    internal bool MayPass =>
        RetryAfterSeconds <= 10 && (Status == 0 || Status == 408 || Status == 429 || (Status >= 502 && Status <= 504));
}

/// <summary>A seat in a lobby. Connect to the lobby and send it the player token.</summary>
public sealed class FoyerSeat {
    public readonly JObject Answer;
    internal FoyerSeat(JToken answer) { Answer = (JObject)answer; }
    public string LobbyId => (string)Answer["lobby"]["lobby_id"];
    /// <summary>What friends join by; null: the game mode has no codes.</summary>
    public string Code => (string)Answer["lobby"]["code"];
    public string PlayerToken => (string)Answer["player"]["token"];
    public string Hostname(string label = "default") => (string)Answer["ports"][label]["hostname"];
    public ushort Port(string label = "default") => (ushort)Answer["ports"][label]["port"];
    /// <summary>Of ports with the protocols http, https, ws and wss.</summary>
    public string Url(string label = "default") => (string)Answer["ports"][label]["url"];
}

/// <summary>For game clients: from the menu to a seat. `more` has other fields of the request, such as tags.</summary>
public sealed class FoyerMatchmaker {
    readonly FoyerCaller foyer;
    /// <summary>Without a token only on pages of domains that the namespace trusts.</summary>
    public FoyerMatchmaker(string endpoint, string publicToken = null) { foyer = new FoyerCaller(endpoint, publicToken); }

    public Task<FoyerSeat> Find(string gameMode, JObject more = null) =>
        TakeSeat("/matchmaker/lobbies/find", new JObject { ["game_modes"] = new JArray(gameMode) }, more);

    /// <summary>Joins a lobby by its id, or by the code that a friend sent.</summary>
    public Task<FoyerSeat> Join(string idOrCode, JObject more = null) =>
        TakeSeat("/matchmaker/lobbies/join", new JObject { [Guid.TryParseExact(idOrCode, "D", out _) ? "lobby_id" : "code"] = idOrCode }, more);

    public Task<FoyerSeat> Create(string gameMode, bool isPrivate = false, JObject more = null) =>
        TakeSeat("/matchmaker/lobbies/create", new JObject { ["game_mode"] = gameMode, ["publicity"] = isPrivate ? "private" : "public" }, more);

    /// <summary>The public lobbies, one page: "lobbies", and "cursor" if there are more. Pass it for the next page.</summary>
    public Task<JToken> List(string gameMode = null, string cursor = null) =>
        foyer.Call("GET", "/matchmaker/lobbies/list?limit=100" + Parameter("game_mode", gameMode) + Parameter("cursor", cursor), null, 5);

    /// <summary>The seat that the player still has, after a restart of the game. Throws when the seat has ended.</summary>
    public async Task<FoyerSeat> Resume(string playerToken) =>
        new FoyerSeat(await foyer.Call("POST", "/matchmaker/players/resume", new JObject { ["player_token"] = playerToken }, 5, 70));

    /// <summary>Gives up a seat before the player connects to the lobby, or while it is held.</summary>
    public Task Release(string playerToken) =>
        foyer.Call("POST", "/matchmaker/players/release", new JObject { ["player_token"] = playerToken }, 5);

    // Foyer may wait 60 s for a lobby to start. With the key a repeated call takes no second seat.
    async Task<FoyerSeat> TakeSeat(string path, JObject body, JObject more) {
        if (more != null) body.Merge(more);
        return new FoyerSeat(await foyer.Call("POST", path, body, 5, 70, Guid.NewGuid().ToString()));
    }
    static string Parameter(string name, string value) => value == null ? "" : $"&{name}={Uri.EscapeDataString(value)}";
}

/// <summary>A player's connection to this lobby.</summary>
public sealed class FoyerPlayer {
    /// <summary>This connection must end: "replaced" by a newer one, "removed" by Foyer, or "stopping".</summary>
    public event Action<string> Ended;
    /// <summary>Key: your own name for the player; null: there is none. Returned: the player came back to this seat.</summary>
    public string Token, PlayerId, Key;
    public bool Returned;
    internal void End(string reason) => Ended?.Invoke(reason);
}

/// <summary>For game servers: one lobby, from ready to stop. Reads FOYER_TOKEN and FOYER_API_ENDPOINT.</summary>
public sealed class FoyerLobbyServer {
    /// <summary>Find avoids this lobby, or no longer does: this server or an operator closed or opened it.</summary>
    public event Action<bool> ClosedChanged;
    /// <summary>Another version was deployed: find sends no players here. Stop when the round is over.</summary>
    public event Action Outdated;
    /// <summary>Foyer has ended this lobby. Save what you need and quit.</summary>
    public event Action StoppedByFoyer;

    readonly FoyerCaller foyer;
    readonly Dictionary<string, FoyerPlayer> players = new Dictionary<string, FoyerPlayer>();
    readonly Dictionary<string, Task> busy = new Dictionary<string, Task>();
    float heartbeatSeconds;
    bool isBeating, isStopped, wasClosed, wasOutdated;

    public FoyerLobbyServer() {
        var (endpoint, token) = (Environment.GetEnvironmentVariable("FOYER_API_ENDPOINT"), Environment.GetEnvironmentVariable("FOYER_TOKEN"));
        if (string.IsNullOrEmpty(endpoint) || string.IsNullOrEmpty(token))
            throw new FoyerException("NOT_CONFIGURED", "FOYER_TOKEN and FOYER_API_ENDPOINT are not set: let Foyer or `foyer dev -- ./server` start this server.");
        foyer = new FoyerCaller(endpoint, token);
        float.TryParse(Environment.GetEnvironmentVariable("FOYER_HEARTBEAT_S"), out heartbeatSeconds);
    }

    /// <summary>Players can connect from now on. Heartbeats with the connected players begin.</summary>
    public async Task Ready() {
        await foyer.Call("POST", "/matchmaker/lobbies/ready", null, 5);
        if (!isBeating) SendHeartbeats();
    }

    /// <summary>True: find sends no players here; they can still join by id or code. False: find does so again.</summary>
    public Task SetClosed(bool isClosed) =>
        foyer.Call("PUT", "/matchmaker/lobbies/closed", new JObject { ["is_closed"] = isClosed }, 5);

    /// <summary>The player of a token that a client sent. Throws when it is not valid here. A newer connection replaces the older one.</summary>
    public Task<FoyerPlayer> Admit(string playerToken) => InTurn(playerToken, async () => {
        var old = players.ContainsKey(playerToken) ? players[playerToken] : null;
        var player = new FoyerPlayer { Token = playerToken, PlayerId = old?.PlayerId, Key = old?.Key, Returned = true };
        if (old == null) {
            var answer = await Connect(new JObject { ["player_token"] = playerToken });
            player.PlayerId = (string)answer["player_id"];
            player.Key = (string)answer["key"];
            player.Returned = (bool)answer["returned"];
        }
        players[playerToken] = player;
        old?.End("replaced");
        return player;
    });

    /// <summary>The player left. With mayReturn Foyer holds the seat for the game mode's reconnect_s.</summary>
    public Task Leave(FoyerPlayer player, bool mayReturn = false) => InTurn(player.Token, async () => {
        if (!Forget(player)) return false;
        var body = new JObject { ["player_token"] = player.Token, ["may_return"] = mayReturn };
        // If this fails, Foyer learns the same from the next heartbeats.
        try { await foyer.Call("POST", "/matchmaker/players/disconnected", body, 3); } catch (FoyerException error) { Debug.LogException(error); }
        return true;
    });

    /// <summary>Ends the lobby and the connections of its players. Quit afterwards.</summary>
    public Task Stop() { EndConnections(); return foyer.Call("POST", "/matchmaker/lobbies/stop", null, 3); }

    async Task<JToken> Connect(JObject body) {
        try { return await foyer.Call("POST", "/matchmaker/players/connected", body); }
        catch (FoyerException error) { if (error.Code != "MATCHMAKER_PLAYER_ALREADY_CONNECTED") throw; }
        // This server was restarted, or an answer was lost: the player dropped and comes back, where reconnect_s allows it.
        var dropped = new JObject(body) { ["may_return"] = true };
        await foyer.Call("POST", "/matchmaker/players/disconnected", dropped, 3);
        return await foyer.Call("POST", "/matchmaker/players/connected", body);
    }

    async void SendHeartbeats() {
        isBeating = true;
        while (!isStopped) {
            await FoyerCaller.Wait(heartbeatSeconds > 0 ? Math.Min(heartbeatSeconds / 3, 10) : 10);
            var sent = players.Values.ToList();
            var body = new JObject { ["player_ids"] = new JArray(sent.Select(player => player.PlayerId)) };
            try {
                var answer = await foyer.Call("POST", "/matchmaker/lobbies/heartbeat", body, timeout: 10);
                if (!isStopped) Learn(sent, answer);
            }
            catch (Exception error) {
                if (isStopped) return;
                var status = (error as FoyerException)?.Status;
                if (status == 401 || status == 410) { EndConnections(); StoppedByFoyer?.Invoke(); } else Debug.LogException(error);
            }
        }
    }

    void Learn(List<FoyerPlayer> sent, JToken answer) {
        heartbeatSeconds = (float)answer["heartbeat_s"];
        var known = new HashSet<string>(answer["player_ids"].Select(id => (string)id));
        foreach (var player in sent) if (!known.Contains(player.PlayerId) && Forget(player)) player.End("removed");
        var isClosed = (bool)answer["is_closed"] || (bool)answer["is_closed_by_operator"];
        if (isClosed != wasClosed) { wasClosed = isClosed; ClosedChanged?.Invoke(isClosed); }
        if ((bool)answer["is_outdated"] == wasOutdated) return;
        wasOutdated = !wasOutdated;
        if (wasOutdated) Outdated?.Invoke();
    }

    // False: a newer connection has replaced this one, or it has left already.
    bool Forget(FoyerPlayer player) => players.TryGetValue(player.Token, out var known) && known == player && players.Remove(player.Token);

    void EndConnections() {
        isStopped = true;
        var ended = players.Values.ToList();
        players.Clear();
        foreach (var player in ended) player.End("stopping");
    }

    // Calls about one player run one after the other, so that a leave never overtakes a newer admit.
    async Task<T> InTurn<T>(string playerToken, Func<Task<T>> run) {
        while (busy.ContainsKey(playerToken)) await busy[playerToken];
        var done = new TaskCompletionSource<bool>();
        busy[playerToken] = done.Task;
        try { return await run(); }
        finally { busy.Remove(playerToken); done.SetResult(true); }
    }
}

sealed class FoyerCaller {
    static readonly JsonSerializerSettings settings = new JsonSerializerSettings { DateParseHandling = DateParseHandling.None };
    readonly string endpoint, token;
    internal FoyerCaller(string endpoint, string token) { this.endpoint = endpoint.TrimEnd('/'); this.token = token; }

    internal async Task<JToken> Call(string method, string path, JToken body = null, int tries = 1, int timeout = 5, string key = null) {
        for (var attempt = 1; ; attempt++) {
            float pause;
            try { return await Send(method, path, body, timeout, key); }
            catch (FoyerException error) { if (!error.MayPass || attempt >= tries) throw; pause = error.RetryAfterSeconds; }
            await Wait(pause + UnityEngine.Random.value * 0.2f * Mathf.Pow(2, attempt));
        }
    }

    // Not Task.Delay, which needs threads and does not return in WebGL.
    internal static async Task Wait(float seconds) {
        for (var until = Time.realtimeSinceStartupAsDouble + seconds; Time.realtimeSinceStartupAsDouble < until;) await Task.Yield();
    }

    async Task<JToken> Send(string method, string path, JToken body, int timeout, string key) {
        using (var request = new UnityWebRequest(endpoint + path, method)) {
            request.downloadHandler = new DownloadHandlerBuffer();
            request.timeout = timeout;
            if (!string.IsNullOrEmpty(token)) request.SetRequestHeader("Authorization", "Bearer " + token);
            if (key != null) request.SetRequestHeader("Idempotency-Key", key);
            request.SetRequestHeader("Content-Type", "application/json");
            if (body != null) request.uploadHandler = new UploadHandlerRaw(Encoding.UTF8.GetBytes(body.ToString(Formatting.None)));
            var done = new TaskCompletionSource<bool>();
            request.SendWebRequest().completed += _ => done.SetResult(true);
            await done.Task;
            return Read(request);
        }
    }

    static JToken Read(UnityWebRequest request) {
        if (request.result != UnityWebRequest.Result.Success && request.result != UnityWebRequest.Result.ProtocolError)
            throw new FoyerException("NO_ANSWER", $"Foyer did not answer: {request.error}. Is it running, and is the endpoint right?");
        JToken answer = null;
        try { answer = JsonConvert.DeserializeObject<JToken>(request.downloadHandler.text, settings); } catch (JsonException) { }
        if (request.result == UnityWebRequest.Result.Success) return answer;
        float.TryParse(request.GetResponseHeader("retry-after"), out var retryAfter);
        if (!(answer is JObject refusal) || refusal["code"] == null)
            throw new FoyerException("UNKNOWN", $"The answer with status {request.responseCode} is not Foyer's.", request.responseCode, retryAfter);
        throw new FoyerException((string)refusal["code"], (string)refusal["message"], request.responseCode, retryAfter, (string)refusal["request_id"]);
    }
}
