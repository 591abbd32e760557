// `npm start` is the foyer command, and that serves when no command is given: npm start -- --port 0
import "./foyer.mjs";
