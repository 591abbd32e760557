// `npm start` is the foyer command, which runs `serve` when no command is given: npm start -- --port 0
import "./foyer.mjs";
