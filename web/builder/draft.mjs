/** The state that is being built on the screen, the members that it names, and who follows its changes. */

/**
 * @typedef {import("./state.mjs").State} State
 * @typedef {import("./state.mjs").Member} Member
 */

export class Draft {
  /**
   * @param {State} state
   * @param {Map<string, Member>} members by their names
   */
  constructor(state, members) {
    this.state = state;
    this.members = members;
    /** @type {string[]} */
    this.parameters = []; // by which conditions and ranges may be said
    /** @type {Set<(drawn: boolean) => void>} told of changes; drawn: what shows the state shows the change already */
    this.followers = new Set();
  }

  /**
   * @param {State} state
   * @param {{drawn?: boolean}} [how] drawn: by what the person typed
   */
  set(state, { drawn = false } = {}) {
    if (state === this.state) return;
    this.state = state;
    for (const follow of this.followers) follow(drawn);
  }

  /** What a member is called. @param {string} name */
  title(name) {
    return this.members.get(name)?.title || name;
  }

  /**
   * The member of a name; of one that the source does not list, what can be known of it.
   * @param {string} name
   * @param {"dimension" | "measure"} [role]
   * @returns {Member}
   */
  member(name, role = "dimension") {
    return this.members.get(name) ?? { name, type: "other", role };
  }
}
