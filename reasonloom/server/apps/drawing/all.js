// All elements that draw, for the studio; a page of a host includes only those that it uses.

import "./graph.js";
import "./lanes.js";
import "./shares.js";
import "./streams.js";
