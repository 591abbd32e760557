import { addCopyButtons, showOwnOrigin } from "./copy.js";
import { followHeadings, openMenu, reachScrollable, redirectOldAnchors } from "./page.js";
import { addSearch } from "./search.js";
import { addTabs } from "./tabs.js";
import { addTryIt } from "./try-it.js";

redirectOldAnchors();
showOwnOrigin();
addTabs();
addCopyButtons();
addSearch();
addTryIt();
openMenu();
followHeadings();
reachScrollable();
