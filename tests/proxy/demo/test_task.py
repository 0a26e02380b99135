from __future__ import annotations

from proxy.demo import project, task


def test_needs_stand_in_the_files_they_name() -> None:
    for need in (task.CONFIG, task.DEPLOYMENT, task.POOL):
        content = project.files()[need.path]
        assert need.shows in content
        if need.part is not None:
            first, last = need.part
            assert need.shows in "\n".join(content.splitlines()[first - 1 : last])


def test_the_summary_carries_no_file_content() -> None:
    carried = "\n".join(task.SCRIPT.carries)
    assert not any(need.shows in carried for need in (task.CONFIG, task.DEPLOYMENT, task.POOL))


def test_the_prompt_names_the_script() -> None:
    assert task.SCRIPT.marker in task.PROMPT
