"""A hook of mkdocs: links that leave docs/ lead to the repository."""

import re

OUTSIDE = re.compile(r"(\]\(|^\[[^\]\n]+\]: )\.\./", re.MULTILINE)


def on_page_markdown(markdown, page, config, files):
    return OUTSIDE.sub(r"\1" + config["repo_url"].rstrip("/") + "/blob/main/", markdown)
