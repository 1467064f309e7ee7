/** How long browsers and proxies may show the directory without asking again. */
export const directoryCacheSeconds = 60;
